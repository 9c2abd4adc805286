import { Agent, tool, Usage } from '@openai/agents'
import { recallTool, type WithCompactionOptions, withCompaction } from '@precis/openai-agents'
import { recallModel } from '@precis/testkit'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { namedQuestionOf, readFileTool, vaultScenario } from '../../vaults.ts'
import { type Asked, ask, close, history, limits, name, offered, start, vault, wrap } from './setup.ts'

afterEach(async () => {
  vi.unstubAllEnvs()
  await close()
})

describe('offered', () => {
  it('from the first compaction on, and from then on in every call', async () => {
    const provider = await start({ model: recallModel(vaultScenario) })
    await ask(wrap('chat', provider), { input: history.slice(0, 1), options: { maxTurns: 40 } })
    const seen = offered(provider)
    const from = seen.indexOf(true)
    expect(from).toBeGreaterThan(2)
    expect(seen.slice(from).every(Boolean)).toBe(true)
  })
  it.each<readonly [string, Asked, WithCompactionOptions]>([
    ['a call without tools', { agent: { tools: [] } }, {}],
    ['recall: "off"', {}, { recall: 'off' }],
    ['recall: "tool"', {}, { recall: 'tool' }],
    ['a stored prompt', { agent: { prompt: { promptId: 'pmpt_1' } } }, {}],
    ['settings that name a conversation of the provider’s', { agent: { modelSettings: { providerData: { conversation: 'conv_1' } } } }, {}],
  ])('not in %s', async (_, more, options) => {
    const provider = await start({ model: () => ({ text: 'ok', calls: [] }) })
    await ask(wrap('responses', provider, options), more)
    expect(new Set(offered(provider))).toEqual(new Set([false])) // and once more where it was refused for its size
  })
  it.each([{ previousResponseId: 'resp_1' }, { conversationId: 'conv_1' }])('not where the server keeps the conversation: %s', async (options) => {
    const seen: { tools: unknown[] }[] = []
    const inner = {
      getResponse: async (request: never) => {
        seen.push(request)
        return { usage: new Usage(), output: [{ type: 'message', role: 'assistant', status: 'completed', content: [{ type: 'output_text', text: 'ok' }] }] }
      },
      getStreamedResponse: async function* () {},
    }
    await ask({ getModel: () => withCompaction(inner, { limits }) }, { options })
    expect(seen[0]?.tools).toHaveLength(1)
  })
  it('not with PRECIS_RECALL=off', async () => {
    vi.stubEnv('PRECIS_RECALL', 'off')
    const provider = await start()
    await ask(wrap('chat', provider))
    expect(offered(provider)).toEqual([false])
  })
  it('also where a choice forbids a call: the list stays', async () => {
    const provider = await start({ model: () => ({ text: 'ok', calls: [] }) })
    await ask(wrap('chat', provider), { agent: { modelSettings: { toolChoice: 'none' } } })
    expect(provider.requests[0]?.declared).toEqual({ tools: ['read_file', name], toolChoice: 'none' })
  })
  it('to an agent that has handoffs alone', async () => {
    const provider = await start()
    const other = new Agent({ name: 'other', model: 'strict' })
    expect((await ask(wrap('chat', provider), { agent: { tools: [], handoffs: [other] } })).text).toBe(vault.code)
  })
  it('a tool of the host with the same name is the host’s', async () => {
    const provider = await start()
    const own = tool({
      name,
      description: 'mine',
      parameters: z.object({ query: z.string() }),
      execute: async () => `vault of ${vault.place} opens with code MINE-1`,
    })
    const { text, turns } = await ask(wrap('chat', provider), { agent: { tools: [readFileTool, own] } })
    expect(provider.requests.map(({ declared }) => declared.tools.length)).toEqual([2, 2])
    expect([text, turns]).toEqual(['MINE-1', 2])
  })
  it.each<readonly [string, WithCompactionOptions, boolean]>([
    ['by default', {}, true],
    ['recall: "asked"', { recall: 'asked' }, false],
    ['recall: "tool"', { recall: 'tool' }, false],
  ])('what a question asks about comes back beside a tool of the host with the same name: %s', async (_, options, comes) => {
    const provider = await start({ model: recallModel(vaultScenario) })
    const own = tool({ name, description: 'mine', parameters: z.object({}), execute: async () => 'mine' })
    const input = [...history, { role: 'user' as const, content: namedQuestionOf(vault) }]
    const { text } = await ask(wrap('chat', provider, options), { input, agent: { tools: [readFileTool, own] } })
    expect(text === vault.code).toBe(comes)
    expect(JSON.stringify(provider.requests).includes('Earlier passages')).toBe(comes)
  })
  it.each([false, true])('recall: "tool" is answered by the agent’s own loop, from the same history; streamed: %s', async (stream) => {
    const provider = await start()
    const models = wrap('chat', provider, { recall: 'tool' })
    const { text, turns, history: said } = await ask(models, { stream, agent: { tools: [readFileTool, recallTool(models)] } })
    expect([text, turns]).toEqual([vault.code, 2])
    expect(JSON.stringify(said)).toContain(name)
  })
})
