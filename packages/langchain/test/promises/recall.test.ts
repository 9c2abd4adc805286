import { AIMessage, type BaseMessage, HumanMessage } from '@langchain/core/messages'
import { MemorySaver } from '@langchain/langgraph'
import type { CompactionReport } from '@precis/core'
import { compaction, type MiddlewareOptions } from '@precis/langchain'
import { recallModel, type StrictProvider, strictProvider } from '@precis/testkit'
import { createAgent } from 'langchain'
import { afterEach, describe, expect, it } from 'vitest'
import { modelAt, namedQuestionOf, questionOf, readFile, vaultScenario, vaults, type Wire } from '../vaults.ts'

const open: StrictProvider[] = []
afterEach(async () => {
  for (const one of open.splice(0)) await one.close()
})

/** Too small for half of the vaults. */
const limits = { contextWindow: 11_000, maxOutput: 500 }
const tool = 'precis_recall'

/** A conversation of one agent run and a question for each vault. */
async function chat(wire: Wire, mode: 'invoke' | 'stream', more: { options?: MiddlewareOptions; thinks?: boolean; looksUp?: boolean } = {}) {
  const provider = await strictProvider({
    window: limits.contextWindow,
    maxOutput: limits.maxOutput,
    model: recallModel(vaultScenario, { ...(more.looksUp !== false && { looksUp: tool }), thinks: more.thinks === true }),
  })
  open.push(provider)
  const reports: CompactionReport[] = []
  const thinking = more.thinks === true && wire === 'anthropic' ? { thinking: { type: 'enabled', budget_tokens: 1_024 }, maxTokens: 2_000 } : {}
  const agent = createAgent({
    model: modelAt(wire, provider.url, thinking),
    tools: [readFile],
    middleware: [compaction({ limits, onReport: (report) => reports.push(report), ...more.options })],
    checkpointer: new MemorySaver(),
  })
  const config = { configurable: { thread_id: 't' }, recursionLimit: 100 }
  const streamed: string[] = []
  let steps = 0
  const ask = async (content: string): Promise<string> => {
    const input = { messages: [new HumanMessage(content)] }
    if (mode === 'invoke') return (await agent.invoke(input, config)).messages.at(-1)?.text ?? ''
    let newest = ''
    for await (const [kind, part] of await agent.stream(input, { ...config, streamMode: ['messages', 'updates'] })) {
      if (kind === 'updates') steps++
      else {
        const [chunk] = part as unknown as [BaseMessage]
        streamed.push(JSON.stringify([chunk.id, (chunk as { tool_call_chunks?: unknown }).tool_call_chunks, chunk.content]))
        if (AIMessage.isInstance(chunk)) newest += chunk.text
      }
    }
    return newest
  }
  await ask('Read the file of each vault.')
  const state = async () => ((await agent.getState(config)) as { values: { messages: BaseMessage[] } }).values.messages
  return { provider, reports, ask, state, streamed, steps: () => steps }
}

const answersOf = async ({ ask }: { readonly ask: (content: string) => Promise<string> }, asking = questionOf): Promise<number> => {
  let right = 0
  for (const vault of vaults) if ((await ask(asking(vault))).endsWith(vault.code)) right++
  return right
}
const looks = ({ requests }: StrictProvider) =>
  requests.filter(({ prompt }) => prompt.at(-1)?.isResult === true && prompt.some(({ callIds }) => callIds.some((id) => id.startsWith('look_')))).length
const refused = ({ requests }: StrictProvider) => requests.filter(({ status }) => status !== 200).map(({ violations }) => violations[0]?.message ?? 'overflow')

describe('what left the context is looked up unseen', () => {
  it.each<readonly [Wire, 'invoke' | 'stream']>([
    ['openai', 'invoke'],
    ['openai', 'stream'],
    ['openai-responses', 'invoke'],
    ['openai-responses', 'stream'],
    ['anthropic', 'invoke'],
    ['anthropic', 'stream'],
  ])('%s, %s', async (wire, mode) => {
    const bare = await chat(wire, mode, { options: { recall: 'off' } })
    const before = await answersOf(bare)
    const own = await chat(wire, mode, { thinks: wire !== 'openai' })
    const right = await answersOf(own)
    expect(refused(own.provider)).toEqual([])
    expect(before).toBeLessThan(vaults.length / 2)
    expect(right).toBe(vaults.length)
    expect(looks(own.provider)).toBeGreaterThan(vaults.length / 2)
    // Nothing of it is in the state, the stream or the number of steps.
    const messages = await own.state()
    expect(JSON.stringify(messages)).not.toContain(tool)
    expect(messages.length).toBe((await bare.state()).length)
    expect(own.streamed.join('')).not.toContain(tool)
    expect(own.steps()).toBe(bare.steps())
    // The bill is the framework's usage; the last prompt stands beside it.
    const billed = own.provider.requests.reduce((sum, { inputTokens }) => sum + inputTokens, 0)
    const replies = messages.filter((message): message is AIMessage => AIMessage.isInstance(message))
    expect(replies.reduce((sum, { usage_metadata: usage }) => sum + ((usage as { input_tokens?: number } | undefined)?.input_tokens ?? 0), 0)).toBe(billed)
    const marks = replies.flatMap(({ response_metadata: metadata }) => (metadata['precis'] === undefined ? [] : [metadata['precis'] as Mark]))
    expect(marks.length).toBe(looks(own.provider))
    for (const { prompt } of marks)
      expect(own.provider.requests.some(({ inputTokens }) => inputTokens === prompt.input + prompt.cacheRead + prompt.cacheWrite)).toBe(true)
    expect(own.reports.filter(({ recall }) => recall !== undefined).length).toBe(looks(own.provider))
  })
})

const comesBack = 'Earlier passages that the next message may be about.'

describe('what a message asks about comes back by itself', () => {
  it.each<readonly [Wire, 'invoke' | 'stream']>([
    ['openai', 'invoke'],
    ['openai-responses', 'stream'],
    ['anthropic', 'invoke'],
    ['anthropic', 'stream'],
  ])('%s, %s, to a model that looks nothing up', async (wire, mode) => {
    const asked = await chat(wire, mode, { options: { recall: 'asked' }, looksUp: false })
    expect(await answersOf(asked, namedQuestionOf)).toBeLessThan(vaults.length / 2)
    const own = await chat(wire, mode, { looksUp: false })
    expect(await answersOf(own, namedQuestionOf)).toBe(vaults.length)
    expect(refused(own.provider)).toEqual([])
    // No request more, nothing in the state or the stream.
    const messages = await own.state()
    expect(own.provider.requests.length).toBe(messages.filter((message) => AIMessage.isInstance(message)).length)
    expect(JSON.stringify([messages, own.streamed])).not.toContain(comesBack)
    const kept = own.provider.requests.map(({ prompt }) => prompt.filter(({ text }) => text.startsWith(comesBack)).length)
    expect(Math.max(...kept)).toBeGreaterThan(1)
    expect(own.reports.filter(({ recall }) => recall?.round === 0).length).toBeGreaterThan(vaults.length / 2)
  })
})

interface Mark {
  readonly prompt: { readonly input: number; readonly cacheRead: number; readonly cacheWrite: number }
}
