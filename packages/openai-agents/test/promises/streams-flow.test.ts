import { Agent, Runner, setTracingDisabled } from '@openai/agents'
import { withCompaction } from '@precis/openai-agents'
import { describe, expect, it } from 'vitest'

// What a model says is told as it says it: that it began, before it has thought.

setTracingDisabled(true)
const raw = (type: string, more: object = {}) => ({ type: 'model', event: { type, ...more } })
const started = { type: 'response_started', providerData: { id: 'r1', model: 'm' } }
const thinks = raw('response.output_item.added', { output_index: 0, item: { type: 'reasoning', id: 'rs_1' } })
const message = { type: 'message', id: 'msg_1', role: 'assistant', status: 'completed', content: [{ type: 'output_text', text: 'Hi.' }] }
const usage = { inputTokens: 9, outputTokens: 1, totalTokens: 10 }
const said = [
  raw('response.output_text.delta', { output_index: 1, delta: 'Hi.' }),
  { type: 'output_text_delta', delta: 'Hi.' },
  { type: 'response_done', response: { id: 'r1', output: [message], usage } },
]
const begins = [started, raw('response.created', { response: { id: 'r1' } }), raw('response.in_progress')]
const refused = [
  ...begins,
  raw('response.failed', { response: { error: { code: 'context_length_exceeded', message: 'Your input exceeds the context window of this model.' } } }),
  new Error('Unexpected end of the stream'),
]
const never = new Promise<void>(() => {})

/** A model with these streams, one a request; a promise in one is waited for, an error thrown. */
function modelOf(streams: readonly (readonly unknown[])[]) {
  const closed: number[] = []
  let requests = 0
  return {
    closed,
    requests: () => requests,
    getResponse: async () => ({ output: [], usage }),
    async *getStreamedResponse() {
      const mine = requests++
      try {
        for (const event of streams[mine] ?? []) {
          if (event instanceof Error) throw event
          if (event instanceof Promise) await event
          else yield event as object
        }
      } finally {
        closed.push(mine)
      }
    },
  }
}

const long = Array.from({ length: 61 }, (_, at) => ({ role: at % 2 === 0 ? 'user' : 'assistant', content: `${at} ${'word '.repeat(200)}` }))

async function kindsOf(model: object, { until, input = 'Hi.' }: { readonly until?: string; readonly input?: unknown } = {}): Promise<readonly string[]> {
  const wrapped = withCompaction(model, { limits: { contextWindow: 8_000, maxOutput: 500 } })
  const agent = new Agent({ name: 'reader', model: wrapped as never })
  const kinds: string[] = []
  for await (const event of await new Runner().run(agent, input as never, { stream: true })) {
    const { type = '', event: own } = (event as { readonly data?: { readonly type?: string; readonly event?: { readonly type: string } } }).data ?? {}
    if (type !== '') kinds.push(own?.type ?? type)
    if (kinds.at(-1) === until) break
  }
  return kinds
}

const announced = ['response_started', 'response.created', 'response.in_progress']
const all = [...announced, 'response.output_item.added', 'response.output_text.delta', 'output_text_delta', 'response_done']

describe('streams flow', () => {
  it('that a reply began is told before it says anything, and that it thinks before it has thought', async () => {
    expect(await kindsOf(modelOf([[...begins, never]]), { until: 'response.in_progress' })).toEqual(announced)
    expect(await kindsOf(modelOf([[...begins, thinks, never]]), { until: 'response.output_item.added' })).toEqual(all.slice(0, 4))
    expect(await kindsOf(modelOf([[...begins, thinks, ...said]]))).toEqual(all)
  })

  it('a refusal behind that is answered: the reply begins once', async () => {
    const model = modelOf([refused, [...begins, thinks, ...said]])
    expect(await kindsOf(model, { input: long })).toEqual(all)
    expect([model.requests(), model.closed]).toEqual([2, [0, 1]])
  })

  it('who reads no further ends the stream', async () => {
    const model = modelOf([[...begins, thinks, ...said]])
    expect(await kindsOf(model, { until: 'response.output_item.added' })).toEqual(all.slice(0, 4))
    await expect.poll(() => model.closed).toEqual([0])
  })
})
