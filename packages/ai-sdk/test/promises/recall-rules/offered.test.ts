import { recallTool, type WithCompactionOptions } from '@precis/ai-sdk'
import { recallModel } from '@precis/testkit'
import { isStepCount, tool } from 'ai'
import { afterEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { namedQuestionOf, vaultScenario } from '../../vaults.ts'
import { ask, close, history, name, offered, start, tools, vault, wrap } from './setup.ts'

afterEach(async () => {
  delete process.env['PRECIS_RECALL']
  await close()
})

describe('offered', () => {
  it('from the first compaction on, and from then on in every call', async () => {
    const provider = await start({ model: recallModel(vaultScenario) })
    await ask(wrap('chat', provider), history.slice(0, 1), { stopWhen: isStepCount(40) })
    const seen = offered(provider)
    const from = seen.indexOf(true)
    expect(from).toBeGreaterThan(2)
    expect(seen.slice(from).every(Boolean)).toBe(true)
  })
  it.each<readonly [string, object, WithCompactionOptions]>([
    ['a call without tools', { tools: undefined }, {}],
    ['recall: "off"', {}, { recall: 'off' }],
    ['recall: "tool"', {}, { recall: 'tool' }],
    ['a conversation that the provider keeps', { providerOptions: { openai: { previousResponseId: 'resp_1' } } }, {}],
  ])('not in %s', async (_, more, options) => {
    const provider = await start()
    await ask(wrap('chat', provider, options), undefined, more)
    expect(new Set(offered(provider))).toEqual(new Set([false])) // and once more where it was refused for its size
  })
  it('not with PRECIS_RECALL=off', async () => {
    process.env['PRECIS_RECALL'] = 'off'
    const provider = await start()
    await ask(wrap('chat', provider))
    expect(offered(provider)).toEqual([false])
  })
  it('also where a choice forbids or names another: the list stays', async () => {
    const provider = await start({ model: () => ({ text: 'ok', calls: [] }) })
    await ask(wrap('chat', provider), undefined, { toolChoice: 'none' })
    expect(provider.requests[0]?.declared).toEqual({ tools: ['read_file', name], toolChoice: 'none' })
  })
  it('a tool of the host with the same name is the host’s', async () => {
    const provider = await start()
    const own = {
      ...tools,
      [name]: tool({ description: 'mine', inputSchema: z.object({ query: z.string() }), execute: async () => `opens with code ${'MINE-1'}` }),
    }
    const result = await ask(wrap('chat', provider), undefined, { tools: own })
    expect(provider.requests.map(({ declared }) => declared.tools)).toEqual([
      ['read_file', name],
      ['read_file', name],
    ])
    expect(result.steps[0]?.toolCalls[0]?.toolName).toBe(name)
  })
  it.each<readonly [string, WithCompactionOptions, boolean]>([
    ['by default', {}, true],
    ['recall: "asked"', { recall: 'asked' }, false],
    ['recall: "tool"', { recall: 'tool' }, false],
  ])('what a question asks about comes back beside a tool of the host with the same name: %s', async (_, options, comes) => {
    const provider = await start({ model: recallModel(vaultScenario) })
    const own = { ...tools, [name]: tool({ description: 'mine', inputSchema: z.object({}), execute: async () => 'mine' }) }
    const result = await ask(wrap('chat', provider, options), [...history, { role: 'user', content: namedQuestionOf(vault) }], { tools: own })
    expect(result.text === vault.code).toBe(comes)
    expect(JSON.stringify(provider.requests).includes('Earlier passages')).toBe(comes)
  })
  it('recall: "tool" is answered by the agent’s own loop, from the same history', async () => {
    const provider = await start()
    const model = wrap('chat', provider, { recall: 'tool' })
    const result = await ask(model, undefined, { tools: { ...tools, ...recallTool(model) } })
    expect(result.text).toBe(vault.code)
    expect(result.steps.map((step) => step.toolCalls.map(({ toolName }) => toolName))).toEqual([[name], []])
  })
})
