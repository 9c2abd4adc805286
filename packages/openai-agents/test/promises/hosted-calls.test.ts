import { Agent, MemorySession, OpenAIProvider, Runner, setTracingDisabled } from '@openai/agents'
import { type CompactionReport, createArchive, memoryStorage } from '@precis/core'
import { type AgentItem, createCodec, withCompaction } from '@precis/openai-agents'
import { createRandom } from '@precis/testkit'
import OpenAI from 'openai'
import { expect, it } from 'vitest'

// Of what a hosted tool returned, the SDK sends one part and keeps the other: a request costs what is in it.

setTracingDisabled(true)
const window = 24_000
const random = createRandom(11)
const words = (count: number): string => Array.from({ length: count }, () => `word${random.between(100, 9_999)}`).join(' ')
const png = (): string => `iVBORw0KGgo${Buffer.from(Array.from({ length: 60_000 }, () => random.between(0, 255))).toString('base64')}`
const code = (at: number): string => `The code of report ${at} is zebra${at}.`
const done = { status: 'completed' }
const mcp = (at: number, said: string) => ({ type: 'mcp_call', id: `mcp_${at}`, server_label: 'git', name: 'read', arguments: said, error: null, ...done })

const kept: readonly (readonly [string, (at: number) => object])[] = [
  ['an MCP server', (at) => ({ ...mcp(at, '{}'), output: `${words(700)} ${code(at)}` })],
  ['an image generator', (at) => ({ type: 'image_generation_call', id: `ig_${at}`, result: png(), ...done })],
]
const sent: readonly (readonly [string, (at: number) => object])[] = [
  [
    'passages of files',
    (at) => ({ type: 'file_search_call', id: `fs_${at}`, queries: ['q'], results: [{ file_id: 'f', text: words(500), score: 1 }], ...done }),
  ],
  [
    'logs of code',
    (at) => ({ type: 'code_interpreter_call', id: `ci_${at}`, code: 'run()', container_id: 'c', outputs: [{ type: 'logs', logs: words(500) }], ...done }),
  ],
  ['sources of a search', (at) => ({ type: 'web_search_call', id: `ws_${at}`, action: { type: 'search', query: words(500) }, ...done })],
  ['arguments of an MCP call', (at) => mcp(at, JSON.stringify({ query: words(500) }))],
]

/** So many turns of one session, each with one hosted call, at a provider that bills what it is sent and refuses what is too long. */
async function chat(turns: number, call: (at: number) => object, question: (at: number) => string = (at) => `Question ${at}?`) {
  const requests: { readonly tokens: number; readonly status: number; readonly input: readonly { readonly type?: string }[] }[] = []
  const fetch = async (_url: unknown, { body }: { readonly body: string }): Promise<Response> => {
    const { input } = JSON.parse(body)
    const tokens = Math.ceil(JSON.stringify(input).length / 4)
    const status = tokens > window ? 400 : 200
    const at = requests.push({ tokens, status, input })
    const message = 'Your input exceeds the context window of this model.'
    if (status === 400) return Response.json({ error: { message, code: 'context_length_exceeded' } }, { status })
    const answer = { type: 'message', id: `msg_${at}`, role: 'assistant', ...done, content: [{ type: 'output_text', text: `Answer ${at}.`, annotations: [] }] }
    const usage = { input_tokens: tokens, output_tokens: 50, total_tokens: tokens + 50 }
    return Response.json({ id: `resp_${at}`, object: 'response', ...done, output: [call(at), answer], usage })
  }
  const provider = new OpenAIProvider({ openAIClient: new OpenAI({ apiKey: 'none', maxRetries: 0, fetch: fetch as never }) as never, useResponses: true })
  const reports: CompactionReport[] = []
  const archive = createArchive<AgentItem>(memoryStorage())
  const onReport = (report: CompactionReport) => reports.push(report)
  const modelProvider = withCompaction(provider, { limits: { contextWindow: window, maxOutput: 500 }, archive, onReport }).for('s')
  const session = new MemorySession()
  const runner = new Runner({ modelProvider })
  for (let at = 1; at <= turns; at++) await runner.run(new Agent({ name: 'a', model: 'm' }), question(at), { session })
  return { requests, reports, items: await session.getItems(), archive }
}

it.each(kept)('what %s returned is not sent, and fills no window', async (_name, call) => {
  const { requests, reports, items } = await chat(30, call)
  expect(JSON.stringify(items).length / 4).toBeGreaterThan(window)
  expect(new Set(reports.map(({ outcome }) => outcome))).toEqual(new Set(['unchanged']))
  const { type } = call(0) as { readonly type: string }
  expect(requests.at(-1)?.input.filter((item) => item.type === type)).toHaveLength(29)
  for (const [at, { tokens }] of reports.entries()) {
    const billed = requests[at]?.tokens ?? 0
    expect(Math.abs(tokens.before - billed)).toBeLessThan(billed * 0.2 + 100)
  }
})

it.each(sent)('%s are sent, and count: compacted before the window is full', async (_name, call) => {
  const { requests, reports } = await chat(30, call)
  expect(requests.map(({ status }) => status)).toEqual(requests.map(() => 200))
  const first = reports.findIndex(({ outcome }) => outcome !== 'unchanged')
  expect(requests[first - 1]?.tokens).toBeGreaterThan(window * 0.55)
})

it('what an MCP server returned is kept whole: in the session, on record and for look-ups', async () => {
  const [, call] = kept[0] as (typeof kept)[number]
  const { requests, reports, items, archive } = await chat(30, call, (at) => `Question ${at}: ${words(400)}?`)
  expect(requests.map(({ status }) => status)).toEqual(requests.map(() => 200))
  expect(reports.some(({ outcome }) => outcome !== 'unchanged')).toBe(true)
  for (const place of [items, (await archive.read('s')).messages]) expect(JSON.stringify(place)).toContain(code(1))
  expect(await archive.recallTool('s', createCodec()).execute({ query: 'code of report zebra1' })).toContain(code(1))
})
