import {
  Agent,
  type AgentInputItem,
  getCurrentTrace,
  OpenAIProvider,
  Runner,
  RunState,
  run,
  setDefaultModelProvider,
  setTraceProcessors,
  setTracingDisabled,
  tool,
  withCustomSpan,
} from '@openai/agents'
import { agentsTrace, withCompaction } from '@precis/openai-agents'
import { recallModel, type StrictProvider } from '@precis/testkit'
import { afterEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { questionOf, readFileTool, vaultScenario, vaults } from '../../vaults.ts'
import { clientOf, close, limits, runnerOf, start } from './setup.ts'

afterEach(close)

describe('plain runs', () => {
  const reader = (more: object = {}) => new Agent({ name: 'reader', model: 'large', tools: [readFileTool], modelSettings: { maxTokens: 500 }, ...more })
  const models = (provider: StrictProvider, more: object = {}) =>
    withCompaction(new OpenAIProvider({ openAIClient: clientOf(provider), useResponses: true }), { limits, ...more })
  it('the default provider of the SDK is all that is set', async () => {
    const provider = await start()
    setDefaultModelProvider(models(provider))
    const result = await run(reader(), 'Read the file of each vault.', { maxTurns: 40 })
    expect(result.finalOutput).toBe(vaultScenario.final)
    expect(provider.requests.every(({ status }) => status === 200)).toBe(true)
  })
  it('a handoff to a model with a smaller window', async () => {
    const provider = await start({
      window: 12_000,
      model: (prompt, declared) => {
        if (!declared.tools.includes('read_file')) return { text: 'I have it.', calls: [] }
        const read = recallModel(vaultScenario)(prompt)
        return read.calls.length === 0 && declared.tools.includes('transfer_to_small')
          ? { text: '', calls: [{ id: 'go', tool: 'transfer_to_small', input: '{}' }] }
          : read
      },
    })
    const small = reader({ name: 'small', model: 'small', tools: [] })
    const sizes = (name: string) => ({ contextWindow: name === 'small' ? 4_000 : 12_000, maxOutput: 500 })
    const result = await runnerOf(models(provider, { limits: sizes })).run(reader({ handoffs: [small] }), 'Read the file of each vault.', { maxTurns: 40 })
    expect(result.lastAgent?.name).toBe('small')
    expect(provider.requests.every(({ status }) => status === 200)).toBe(true)
    expect(provider.requests.at(-2)?.inputTokens).toBeGreaterThan(4_000)
    expect(provider.requests.at(-1)?.inputTokens).toBeLessThan(3_500)
  })
  it('a run that waits for an approval, is stored, and goes on in another process, with what it looked up', async () => {
    let asked = false
    const [vault] = vaults as [(typeof vaults)[number]]
    const provider = await start({
      model: (prompt) => {
        const all = prompt.map(({ text }) => text).join('\n')
        if (all.includes('It is done.')) return { text: 'All done.', calls: [] }
        if (asked || !all.includes('Now delete')) return recallModel(vaultScenario)(prompt)
        asked = true
        const look = { id: 'look_1', tool: 'precis_recall', input: JSON.stringify({ query: questionOf(vault) }) }
        return { text: '', thinking: 'Which one?', calls: [look, { id: 'delete_1', tool: 'delete_file', input: '{"path":"x"}' }] }
      },
    })
    const remove = tool({
      name: 'delete_file',
      description: 'Deletes.',
      parameters: z.object({ path: z.string() }),
      needsApproval: true,
      execute: async () => 'It is done.',
    })
    const agent = reader({ tools: [readFileTool, remove] })
    const first = await runnerOf(models(provider)).run(agent, 'Read the file of each vault.', { maxTurns: 40 })
    const waiting = await runnerOf(models(provider)).run(agent, [...first.history, { role: 'user', content: 'Now delete it.' }], { maxTurns: 40 })
    expect(waiting.interruptions).toHaveLength(1)
    expect(waiting.state.toString()).not.toContain('precis_recall')
    const state = await RunState.fromString(agent, waiting.state.toString())
    for (const item of state.getInterruptions()) state.approve(item)
    const result = await runnerOf(models(provider)).run(agent, state)
    expect(result.finalOutput).toBe('All done.')
    expect(provider.requests.every(({ status }) => status === 200)).toBe(true)
  })
  it('each round is a span of the SDK’s own, and a look-up one of ours between them', async () => {
    const spans: { type: string; name?: string; data?: { trigger?: unknown } }[] = []
    const processor = {
      onTraceStart: async () => {},
      onTraceEnd: async () => {},
      onSpanStart: async () => {},
      onSpanEnd: async ({ spanData }: { spanData: (typeof spans)[number] }) => void spans.push(spanData),
      shutdown: async () => {},
      forceFlush: async () => {},
    }
    setTracingDisabled(false)
    setTraceProcessors([processor as never])
    const provider = await start({ model: recallModel(vaultScenario, { looksUp: 'precis_recall' }) })
    const [vault] = vaults as [(typeof vaults)[number]]
    const wrapped = models(provider, { trace: agentsTrace({ getCurrentTrace, withCustomSpan }) })
    const first = await new Runner({ modelProvider: wrapped }).run(reader(), 'Read the file of each vault.', { maxTurns: 40 })
    for (const stream of [false, true]) {
      const before = [spans.length, provider.requests.length] as const
      const input: AgentInputItem[] = [...first.history, { role: 'user', content: questionOf(vault) }]
      const runner = new Runner({ modelProvider: wrapped })
      const result = stream ? await runner.run(reader(), input, { stream }) : await runner.run(reader(), input)
      if ('completed' in result) await result.completed
      expect(result.finalOutput).toBe(vault.code)
      const own = spans.slice(before[0])
      expect(own.filter(({ type }) => type === 'response')).toHaveLength(provider.requests.length - before[1])
      const ours = own.filter(({ type }) => type === 'custom')
      expect(ours.some(({ data }) => data?.trigger === 'recall')).toBe(true)
      for (const { name, data } of ours) expect(name).toBe(data?.trigger === 'recall' ? 'recall' : 'compaction')
    }
  })
})
