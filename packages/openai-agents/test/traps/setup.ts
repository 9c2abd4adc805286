import { type Model, type ModelRequest, setTracingDisabled, Usage } from '@openai/agents'
import { freezeDeep } from '@precis/testkit'
import { type AgentItem, withCompaction } from '../../src/index.ts'

// Traps of the SDK and of the Responses API, each seen in a real version or a public thread.

setTracingDisabled(true)

export const limits = { contextWindow: 6_000, maxInput: 6_000 }
export const words = (count: number, seed = 'word'): string => Array.from({ length: count }, (_, at) => `${seed}${at % 89}`).join(' ')
export const user = (text: string): AgentItem => ({ type: 'message', role: 'user', content: text })
export const said = (text: string): AgentItem => ({ type: 'message', role: 'assistant', status: 'completed', content: [{ type: 'output_text', text }] })
export const call = (callId: string, more: object = {}): AgentItem => ({
  type: 'function_call',
  callId,
  name: 'read',
  arguments: '{}',
  status: 'completed',
  ...more,
})
export const result = (callId: string, text: string): AgentItem => ({
  type: 'function_call_result',
  callId,
  name: 'read',
  status: 'completed',
  output: { type: 'text', text },
})

/** Steps in which the assistant says much: what it said cannot be shortened, only summarized. */
export const steps = (count: number): AgentItem[] =>
  Array.from({ length: count }, (_, at) => [call(`s${at}`), result(`s${at}`, words(30)), said(`${at} ${words(280)}`)]).flat()
export type Reply = string | { readonly calls: readonly (readonly [id: string, name: string, input: object])[]; readonly usage?: number }

/** A model that says what it is told to, and remembers what it was sent. */
export function scripted(...replies: Reply[]) {
  const requests: ModelRequest[] = []
  const answer = (request: ModelRequest) => {
    requests.push({ ...request, input: structuredClone(request.input) })
    const reply = replies[Math.min(requests.length, replies.length) - 1] ?? 'done'
    const output =
      typeof reply === 'string'
        ? [{ type: 'message', role: 'assistant', status: 'completed', id: `m${requests.length}`, content: [{ type: 'output_text', text: reply }] }]
        : reply.calls.map(([callId, name, input]) => ({ type: 'function_call', callId, name, arguments: JSON.stringify(input), status: 'completed' }))
    const inputTokens = typeof reply === 'string' ? 10 : (reply.usage ?? 10)
    return { usage: new Usage({ requests: 1, inputTokens, outputTokens: 5, totalTokens: inputTokens + 5 }), output, responseId: `r${requests.length}` }
  }
  const model = {
    getResponse: async (request: ModelRequest) => answer(request),
    async *getStreamedResponse(request: ModelRequest) {
      const response = answer(request)
      yield { type: 'response_done', response: { id: response.responseId, usage: response.usage, output: response.output } }
    },
  } as unknown as Model
  return { model, requests, inputs: () => requests.map((request) => request.input as AgentItem[]) }
}

export const closing: (() => Promise<void>)[] = []

export const closeAll = async (): Promise<void> => {
  for (const close of closing.splice(0)) await close()
}

export const plain = (items: readonly unknown[]): string =>
  JSON.stringify(items.map((item) => ({ ...(item as object), id: undefined, providerData: undefined })))

/** What a model would be sent for this history, by a wrapped model. */
export async function sent(items: readonly AgentItem[]): Promise<AgentItem[]> {
  const { model, inputs } = scripted('ok')
  await withCompaction(model, { limits }).getResponse({
    input: freezeDeep(items),
    modelSettings: {},
    tools: [],
    handoffs: [],
    outputType: 'text',
    tracing: false,
  } as never)
  return inputs()[0] as AgentItem[]
}
