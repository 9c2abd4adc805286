import { Agent, type AgentInputItem, OpenAIProvider, Runner, retryPolicies, setTracingDisabled, tool } from '@openai/agents'
import { createArchive, createToolOutputStore, memoryStorage, type Summarizer } from '@precis/core'
import { cacheToolOutputs, compactionTools, recallTool, sessionOf, withCompaction } from '@precis/openai-agents'
import { fakeSummarizer, type StrictProvider, type StrictProviderOptions, strictProvider } from '@precis/testkit'
import OpenAI from 'openai'
import { afterEach, describe, expect, it } from 'vitest'
import { z } from 'zod'

// What a run meets now and then: a call that nobody can read, a provider that is away for a moment, a summary that takes longer than the SDK waits.

setTracingDisabled(true)
const open: StrictProvider[] = []
afterEach(async () => {
  await Promise.all(open.splice(0).map((provider) => provider.close()))
})
const start = async (options: StrictProviderOptions): Promise<StrictProvider> => {
  const provider = await strictProvider(options)
  open.push(provider)
  return provider
}
const providerAt = ({ url }: StrictProvider) =>
  new OpenAIProvider({ openAIClient: new OpenAI({ apiKey: 'none', baseURL: url, maxRetries: 0 }) as never, useResponses: true })
const limits = { contextWindow: 12_000, maxOutput: 500 }
const dialogue = (topic = 'it'): AgentInputItem[] =>
  Array.from({ length: 41 }, (_, at) =>
    at % 2 === 0
      ? ({ role: 'user', content: `Question ${at} of ${topic}: ${'what is it '.repeat(150)}` } as const)
      : ({ role: 'assistant', status: 'completed', content: [{ type: 'output_text', text: `Answer ${at}: ${'it is this '.repeat(150)}` }] } as const),
  )
async function run(modelProvider: object, agent: Agent, input: AgentInputItem[] | string, stream: boolean) {
  const runner = new Runner({ modelProvider: modelProvider as never })
  if (!stream) return runner.run(agent, input)
  const result = await runner.run(agent, input, { stream: true })
  for await (const _ of result);
  await result.completed
  return result
}

describe.each([false, true])('streamed: %s', (stream) => {
  it.each(['not json', '{"query": "x"', '[]', ''])(
    'arguments %j of our own tools are answered in words, and nobody is asked to approve them',
    async (input) => {
      for (const name of ['recall_history', 'compact_context', 'precis_recall']) {
        let at = 0
        const provider = await start({
          window: 200_000,
          model: () => (at++ === 0 ? { text: '', calls: [{ id: 'c', tool: name, input }] } : { text: 'done', calls: [] }),
        })
        const model = withCompaction(providerAt(provider), { limits, archive: createArchive(memoryStorage()), session: 's', recall: 'tool' })
        const agent = new Agent({ name: 'a', model: 'm', tools: [...compactionTools(sessionOf(model)), recallTool(model)] })
        const { interruptions, finalOutput } = await run(model, agent, 'hi', stream)
        expect([name, interruptions, finalOutput]).toEqual([name, [], 'done'])
      }
    },
  )

  it('a summary that takes longer than one call may does not end the run: the record stands in', async () => {
    const slow: Summarizer = {
      name: 'slow',
      summarize: (_, signal) => new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
    }
    const provider = await start({ window: 12_000, model: () => ({ text: 'done', calls: [] }) })
    const reports: string[] = []
    const model = withCompaction(providerAt(provider), { limits, summarizer: slow, onReport: ({ outcome, warnings }) => reports.push(outcome, ...warnings) })
    const agent = new Agent({ name: 'a', model: 'm', modelSettings: { timeoutMs: 2_000 } })
    expect((await run(model, agent, dialogue(`slow ${stream}`), stream)).finalOutput).toBe('done')
    expect(reports).toEqual(['degraded', expect.stringMatching(/timeout \(half of the call's deadline: \d+ ms\)/)])
  })

  it('what a call was billed that failed stands on the bill of the one that the SDK tries in its place', async () => {
    const provider = await start({ window: 12_000, hiccups: { 0: 503 }, model: () => ({ text: 'done', calls: [] }) })
    const model = withCompaction(providerAt(provider), { limits, summarizer: fakeSummarizer() })
    const retry = { maxRetries: 2, backoff: { initialDelayMs: 1 }, policy: retryPolicies.httpStatus([503]) }
    const agent = new Agent({ name: 'a', model: 'm', modelSettings: { retry } })
    const { state } = await run(model, agent, dialogue(`billed ${stream}`), stream)
    const summaries = state.usage.requestUsageEntries?.filter(({ endpoint, inputTokens }) => endpoint === 'compaction.summary' && inputTokens > 0)
    expect(summaries).toHaveLength(1)
  })
})

it('over a WebSocket, where the SDK says why only in a stream, a refusal for size is answered', async () => {
  const sent: number[] = []
  const refusal = { type: 'error', status: 400, error: { code: 'context_length_exceeded', message: 'Your input exceeds the context window of this model.' } }
  class OpenAIResponsesWSModel {
    async getResponse({ input }: { readonly input: readonly object[] }) {
      sent.push(input.length)
      if (input.length > 30) throw new Error('OpenAI Responses request ended with unsuccessful terminal state "error".')
      return { usage: {}, output: [{ type: 'message', role: 'assistant', status: 'completed', content: [{ type: 'output_text', text: 'done' }] }] }
    }
    async *getStreamedResponse() {
      yield { type: 'model', event: refusal }
      throw new Error('OpenAI Responses request ended with unsuccessful terminal state "error".')
    }
  }
  const model = withCompaction(new OpenAIResponsesWSModel())
  const reply = await model.getResponse({ input: dialogue(), modelSettings: {}, tools: [], handoffs: [] } as never)
  expect([reply.output.length, sent[0], (sent.at(-1) ?? 99) <= 30]).toEqual([1, 41, true])
})

it('an agent as a tool, and a tool whose answers have a schema, are handed back as they are: the SDK knows one by its object, and others read the other', () => {
  const agent = new Agent({ name: 'b' }).asTool({ toolName: 'ask_b', toolDescription: 'Asks B.' })
  const listed = { ...tool({ name: 'list', description: 'Lists.', parameters: z.object({}), execute: async () => ({ rows: [] }) }), outputSchema: {} }
  const look = tool({ name: 'precis_recall', description: 'A look-up.', parameters: z.object({}), execute: async () => 'found' })
  expect(cacheToolOutputs([agent, listed, look], { limits, outputs: createToolOutputStore(memoryStorage()) })).toEqual([agent, listed, look])
})
