import { Agent, type AgentInputItem, type Model, type ModelRequest, Runner, Usage } from '@openai/agents'
import { compactionFilter, withCompaction } from '@precis/openai-agents'
import { afterEach, describe, expect, it, vi } from 'vitest'

// `protect` is the host's own code. Whatever it does, requests are compacted, and what it protects stays.

afterEach(() => vi.restoreAllMocks())

const rule = `RULE: never touch Quillfeather. ${'It is sacred to us all. '.repeat(90)}`
const limits = { contextWindow: 6_000, maxOutput: 200 }
/** Another one for each test: what processes know of a conversation they share. */
const storyOf = (title: string): AgentInputItem[] =>
  Array.from({ length: 30 }, (_, at): readonly unknown[] => {
    const text = at === 5 ? rule : `${title}, ${at}: ${'More of it. '.repeat(120)}`
    if (at % 2 === 0) return [{ type: 'message', role: 'user', content: text }]
    return [
      { type: 'function_call', callId: `c${at}`, name: 'read', arguments: '{}', status: 'completed' },
      { type: 'function_call_result', callId: `c${at}`, name: 'read', output: `Output ${at}`, status: 'completed' },
      { type: 'message', role: 'assistant', status: 'completed', content: [{ type: 'output_text', text }] },
    ]
  }).flat() as AgentInputItem[]

function recorder(): { readonly model: Model; readonly inputs: readonly unknown[][] } {
  const inputs: unknown[][] = []
  const getResponse = async ({ input }: ModelRequest) => {
    inputs.push(input as unknown[])
    const output = [
      { type: 'message' as const, role: 'assistant' as const, status: 'completed' as const, content: [{ type: 'output_text' as const, text: 'ok' }] },
    ]
    return { usage: new Usage(), output }
  }
  return { model: { getResponse, getStreamedResponse: () => undefined as never }, inputs }
}
const isShown = (input: unknown): boolean => JSON.stringify(input).includes(rule)
const hasRule = (item: unknown): boolean => JSON.stringify(item).includes(rule)

describe.each(['withCompaction', 'compactionFilter'])('%s', (door) => {
  const opened = (options: object) => {
    const { model, inputs } = recorder()
    const isWrapped = door === 'withCompaction'
    const agent = new Agent({ name: 'own', model: isWrapped ? withCompaction(model, { limits, ...options }) : model })
    const runner = new Runner({ tracingDisabled: true, ...(!isWrapped && { callModelInputFilter: compactionFilter({ limits, ...options }) }) })
    return { inputs, turn: (items: AgentInputItem[]) => runner.run(agent, items) }
  }

  it('what throws for some items protects the others, and is told once', async () => {
    const told: string[] = []
    const protect = (item: { readonly content: string }) => item.content.includes('RULE') || hasRule(item)
    const { inputs, turn } = opened({ protect, onWarning: (warning: string) => told.push(warning) })
    const story = storyOf(`${door}, throws`)
    await turn(story)
    expect(inputs[0]?.length).toBeLessThan(story.length / 2)
    expect(inputs.map(isShown)).toEqual([true])
    await vi.waitFor(() => expect(told).toEqual(['protect threw TypeError for an item of the type function_call: items for which it does are not protected.']))
  })
  it('where nobody listens it is said on the console', async () => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {})
    await opened({ protect: async () => true }).turn(storyOf(`${door}, promises`))
    await vi.waitFor(() => expect(warn.mock.calls).toEqual([['[precis] protect returns a promise: items for which it does are not protected.']]))
  })
  it('whatever is true protects', async () => {
    const { inputs, turn } = opened({ protect: (item: unknown) => JSON.stringify(item).match(/RULE/) })
    await turn(storyOf(`${door}, matches`))
    expect(inputs.map(isShown)).toEqual([true])
  })
  it('what it protects after it was summarized is shown again', async () => {
    let isAfter = false
    const protect = (item: unknown) => isAfter && hasRule(item)
    const { inputs, turn } = opened({ protect })
    await turn(storyOf(`${door}, later`))
    isAfter = true
    await turn([...storyOf(`${door}, later`), { type: 'message', role: 'user', content: 'Go on.' }])
    expect(inputs.map(isShown)).toEqual([false, true])
  })
  it.each([true, 'RULE', [/RULE/]])('%s is refused', (protect) => {
    expect(() => opened({ protect })).toThrow("write protect: (item) => item.role === 'user', say")
  })
})
