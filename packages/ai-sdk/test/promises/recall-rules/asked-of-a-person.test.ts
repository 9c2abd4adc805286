import { withCompaction } from '@precis/ai-sdk'
import { convertArrayToReadableStream, MockLanguageModelV3, MockLanguageModelV4 } from 'ai/test'
import { describe, expect, it } from 'vitest'
import { sdkOf } from '../../majors.ts'
import { history, limits, name, tools } from './setup.ts'

// A tool that the provider runs may wait for a person's leave. What a model looks up beside it waits too.

const finish = { type: 'finish', finishReason: { unified: 'stop', raw: 'stop' }, usage: { inputTokens: { total: 9 }, outputTokens: { total: 1 } } }
const own = { toolCallId: 'm', toolName: 'mcp.deploy', input: '{}', providerExecuted: true, dynamic: true }
const deploys = [
  { type: 'tool-call', ...own },
  { type: 'tool-approval-request', approvalId: 'a', toolCallId: 'm' },
]
const looks = { type: 'tool-call', toolCallId: 'l', toolName: name, input: '{"query":"vault"}' }

interface Call {
  readonly prompt: readonly { readonly role: string; readonly content: readonly { readonly type: string; readonly toolCallId?: string }[] }[]
}

describe.each([
  ['AI SDK 6', MockLanguageModelV3],
  ['AI SDK 7', MockLanguageModelV4],
])('%s', (major, Mock) => {
  it.each([
    ['generate', 'behind'],
    ['stream', 'behind'],
    ['generate', 'before'],
    ['stream', 'before'],
  ])('the call ends there, and the next request has the answer: %s, a look-up %s it', async (mode, where) => {
    const sdk = await sdkOf(major)
    const requests: Call[] = []
    const reply = (call: Call) => {
      if (requests.push(call) > 1) return [{ type: 'text', text: 'Deployed.' }]
      return where === 'behind' ? [...deploys, looks] : [looks, ...deploys]
    }
    const inner = new Mock({
      doGenerate: (async (call: Call) => ({ content: reply(call), finishReason: finish.finishReason, usage: finish.usage, warnings: [] })) as never,
      doStream: (async (call: Call) => {
        const parts = reply(call).flatMap((part): readonly object[] =>
          part.type === 'text'
            ? [
                { type: 'text-start', id: 't' },
                { type: 'text-delta', id: 't', delta: 'Deployed.' },
                { type: 'text-end', id: 't' },
              ]
            : [part],
        )
        return { stream: convertArrayToReadableStream<object>([...parts, finish]) }
      }) as never,
    })
    const model = withCompaction(inner, { limits })
    const ask = async (messages: readonly object[]) => {
      const options = { model, messages, tools, maxRetries: 0 }
      const result = await (mode === 'generate' ? sdk.generateText(options) : (sdk.streamText(options) as unknown as ReturnType<typeof sdk.generateText>))
      return { text: await result.text, messages: (await result.response).messages }
    }
    const asked = [...history, { role: 'user', content: 'Deploy it.' }]
    const first = await ask(asked)
    expect(requests).toHaveLength(1)
    expect(JSON.stringify(first.messages)).not.toContain(name)
    const granted = { role: 'tool', content: [{ type: 'tool-approval-response', approvalId: 'a', approved: true, providerExecuted: true }] }
    const next = await ask([...asked, ...first.messages, granted])
    expect([next.text, requests.length]).toEqual(['Deployed.', 2])
    const [called, answered] = requests[1]?.prompt.slice(-2) ?? []
    expect(called?.content.flatMap(({ type, toolCallId }) => (type === 'tool-call' ? [toolCallId] : []))).toEqual(where === 'behind' ? ['m', 'l'] : ['l', 'm'])
    expect(answered?.content.map(({ type, toolCallId = '' }) => `${type} ${toolCallId}`)).toEqual(['tool-approval-response ', 'tool-result l'])
  })
})
