import { ChatAnthropic } from '@langchain/anthropic'
import { AIMessage, AIMessageChunk, HumanMessage, ToolMessage } from '@langchain/core/messages'
import { ChatOpenAI } from '@langchain/openai'
import type { CompactionReport } from '@precis/core'
import { compaction, messageCodec } from '@precis/langchain'
import { type ModelReply, type PromptEntry, type StrictProvider, scriptedServer, strictProvider } from '@precis/testkit'
import { createAgent, tool } from 'langchain'
import { afterEach, describe, expect, it } from 'vitest'
import { z } from 'zod'

const open: { close(): Promise<void> }[] = []
afterEach(async () => {
  await Promise.all(open.splice(0).map((one) => one.close()))
})

const files = 9
const limits = { contextWindow: 32_000, maxOutput: 256 }
const policy = { prune: { ladder: ['arguments'], arguments: { tokens: 400, steps: 1 } } } as const
const textOf = (at: number): string => Array.from({ length: 610 }, (_, line) => `File ${at} has item ${line} in drawer ${(line * 7) % 97}.`).join(' ')
const write = tool(({ path }: { path: string; content: string }) => `wrote ${path}`, {
  name: 'write_file',
  description: 'Writes a file.',
  schema: z.object({ path: z.string(), content: z.string() }),
})

/** Writes one long file after another. */
function writer(thinks: boolean) {
  return (prompt: readonly PromptEntry[]): ModelReply => {
    const at = Math.max(-1, ...prompt.flatMap(({ callIds }) => callIds).map((id) => Number(id.replace('s_', '')))) + 1
    if (at >= files) return { text: 'All are written.', calls: [] }
    const calls = [{ id: `s_${at}`, tool: 'write_file', input: JSON.stringify({ path: `f${at}.txt`, content: textOf(at) }) }]
    return { text: '', calls, ...(thinks && { thinking: `What to write next, ${at}.` }) }
  }
}

const wires = {
  chat: (url: string, more: object) => new ChatOpenAI({ model: 'm', apiKey: 'none', configuration: { baseURL: url }, maxRetries: 0, ...more }),
  responses: (url: string, more: object) =>
    new ChatOpenAI({ model: 'm', apiKey: 'none', configuration: { baseURL: url }, maxRetries: 0, useResponsesApi: true, ...more }),
  anthropic: (url: string, more: object) =>
    new ChatAnthropic({ model: 'm', apiKey: 'none', anthropicApiUrl: url.replace(/\/v1$/, ''), maxRetries: 0, maxTokens: 256, ...more }),
} as const

describe.each(Object.keys(wires) as (keyof typeof wires)[])('arguments that were shortened are short on the wire: %s', (wire) => {
  it.each([
    ['as they come', {}, false],
    ['as they come, behind thoughts', {}, true],
    ['in standard blocks', { outputVersion: 'v1' }, false],
    ['streamed', { streaming: true }, false],
  ] as const)('%s', async (_name, more, thinks) => {
    const provider: StrictProvider = await strictProvider({ window: 32_000, model: writer(thinks) })
    open.push(provider)
    const reports: CompactionReport[] = []
    const options = { limits, policy, recall: 'off', onReport: (report: CompactionReport) => reports.push(report) } as const
    const agent = createAgent({ model: wires[wire](provider.url, more), tools: [write], middleware: [compaction(options)] })
    const { messages } = await agent.invoke({ messages: [new HumanMessage('Write the files.')] }, { recursionLimit: 100 })
    expect(messages.at(-1)?.text).toBe('All are written.')
    expect(provider.requests.map(({ status, violations }) => [status, ...violations])).toEqual(provider.requests.map(() => [200]))
    expect(reports.some(({ plan }) => plan.edits.length > 0)).toBe(true)
    const [planned, took] = [reports.map(({ tokens }) => tokens.after), provider.requests.map(({ inputTokens }) => inputTokens)]
    expect(took.map((tokens, at) => tokens < (planned[at] ?? 0) * 1.25 + 200)).toEqual(took.map(() => true))
  })
})

describe('the edited copy of a reply', () => {
  const item = (type: string, more: object): object => ({ type, status: 'completed', ...more })
  const sent = async (message: AIMessage, answers: readonly ToolMessage[] = []): Promise<readonly Readonly<Record<string, unknown>>[]> => {
    const output = [item('message', { id: 'msg_9', role: 'assistant', content: [{ type: 'output_text', text: 'ok', annotations: [] }] })]
    const server = await scriptedServer([{ body: { id: 'resp_9', object: 'response', created_at: 0, model: 'm', status: 'completed', output } }])
    open.push(server)
    await wires.responses(server.url, {}).invoke([new HumanMessage('q'), message, ...answers, new HumanMessage('on')])
    return ((server.requests[0]?.['input'] ?? []) as readonly Readonly<Record<string, unknown>>[]).slice(1, -1)
  }
  const changes = { outputs: new Map(), inputs: new Map() } as const
  it('the input of a custom tool', async () => {
    const call = item('custom_tool_call', { id: 'ctc_1', call_id: 'c1', name: 'py', input: 'print(1)\n'.repeat(200) })
    const message = new AIMessage({
      content: [],
      tool_calls: [{ id: 'c1', name: 'py', args: { input: 'print(1)\n'.repeat(200) } }],
      response_metadata: { output: [item('reasoning', { id: 'rs_1', summary: [] }), call] },
    })
    const edited = messageCodec.edit(message, { ...changes, inputs: new Map([['c1', '{"input":"print(1)…"}']]) }) as AIMessage
    expect(await sent(edited)).toEqual([item('reasoning', { id: 'rs_1', summary: [] }), { ...call, input: 'print(1)…' }])
    expect((message.response_metadata['output'] as readonly unknown[])[1]).toBe(call)
  })
  it('arguments of a reply that was streamed and joined', () => {
    const tool_call_chunks = [{ type: 'tool_call_chunk' as const, id: 'c1', name: 'write', args: '{"text":"long, and longer"}', index: 0 }]
    const message = new AIMessageChunk({ content: '', tool_call_chunks })
    const edited = messageCodec.edit(message, { ...changes, inputs: new Map([['c1', '{"text":"long…"}']]) }) as AIMessageChunk
    expect(edited.tool_calls).toMatchObject([{ id: 'c1', name: 'write', args: { text: 'long…' } }])
    expect(JSON.stringify(edited)).not.toContain('longer')
    expect(message.tool_calls).toMatchObject([{ args: { text: 'long, and longer' } }])
  })
  it('a picture that the model made: a line takes its place, and no thought stands alone', async () => {
    const image = (id: string): object => item('image_generation_call', { id, result: 'iVBORw0KGgoA'.repeat(400) })
    const block = (id: string): object => ({ type: 'image', mimeType: 'image/png', data: 'iVBORw0KGgoA'.repeat(400), id })
    const thought = (id: string): object => item('reasoning', { id, summary: [] })
    const output = [thought('rs_1'), image('ig_1'), image('ig_2'), thought('rs_2'), image('ig_3')]
    const message = new AIMessage({
      content: ['ig_1', 'ig_2', 'ig_3'].map(block) as never,
      additional_kwargs: { tool_outputs: [image('ig_1'), image('ig_2'), image('ig_3')] },
      response_metadata: { output },
    })
    const line = { type: 'message', role: 'assistant', status: 'completed', content: [{ type: 'output_text', text: '[a picture]', annotations: [] }] }
    const edited = messageCodec.edit(message, { ...changes, media: '[a picture]' })
    expect(await sent(edited as AIMessage)).toEqual([thought('rs_1'), line, thought('rs_2'), line])
    expect(JSON.stringify(edited)).not.toContain('iVBOR')
  })
  it('a screenshot stays: nothing else answers a computer’s call', async () => {
    const picture = { type: 'computer_screenshot', image_url: 'data:image/png;base64,AAAA' }
    const answer = new ToolMessage({ content: [picture] as never, tool_call_id: 'c1', additional_kwargs: { type: 'computer_call_output' } })
    const call = item('computer_call', { id: 'cu_1', call_id: 'c1', action: { type: 'screenshot' }, pending_safety_checks: [] })
    const edited = messageCodec.edit(answer, { ...changes, outputs: new Map([['c1', { text: '[a picture]', keepAttachments: false }]]) })
    const message = new AIMessage({ content: [], response_metadata: { output: [call] } })
    expect(await sent(message, [edited as ToolMessage])).toEqual([call, { type: 'computer_call_output', call_id: 'c1', output: picture }])
  })
})
