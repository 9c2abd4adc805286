import { AIMessage, type BaseMessage, HumanMessage, ToolMessage } from '@langchain/core/messages'
import { type CompactionReport, defaultMediaCost } from '@precis/core'
import { createPreModelHook, withCompaction } from '@precis/langchain'
import { createRandom } from '@precis/testkit'
import { describe, expect, it } from 'vitest'
import { Recorder } from '../../bench/histories.ts'

// Pictures count as pictures, wherever LangChain keeps them.

const random = createRandom(5)
const png = (bytes: number): string =>
  Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, ...Array.from({ length: bytes }, () => random.between(0, 255))]).toString('base64')

async function shown(messages: BaseMessage[]): Promise<{ readonly tokens: number; readonly messages: readonly BaseMessage[] }> {
  const reports: CompactionReport[] = []
  const hook = createPreModelHook({ limits: { contextWindow: 1_000_000, maxOutput: 500 }, onReport: (report) => reports.push(report) })
  const { llmInputMessages } = await hook({ messages })
  return { tokens: reports[0]?.tokens.before ?? 0, messages: llmInputMessages }
}
const asked = new HumanMessage('Draw a sea.')
const call = new AIMessage({ content: '', tool_calls: [{ id: 'c', name: 'draw', args: {} }] })

it.each<readonly [string, BaseMessage[]]>([
  ['a generated image', [new AIMessage({ content: [{ type: 'image_generation_call', id: 'ig_1', result: png(1_500_000) }] as never })]],
  [
    'an image in a result',
    [call, new ToolMessage({ tool_call_id: 'c', name: 'draw', content: [{ type: 'image', mimeType: 'image/png', data: png(100_000) }] as never })],
  ],
  ['an image in a message', [new HumanMessage({ content: [{ type: 'image_url', image_url: { url: `data:image/png;base64,${png(100_000)}` } }] })]],
])('%s counts by its kind', async (_name, messages) => {
  const more = (await shown([asked, ...messages])).tokens - (await shown([asked])).tokens
  expect(more).toBeGreaterThanOrEqual(defaultMediaCost.image)
  expect(more).toBeLessThan(defaultMediaCost.image + 120)
})
it('a CSV file counts as its text', async () => {
  const csv = Array.from({ length: 3_000 }, (_, at) => `${at},customer-${at * 7919},open`).join('\n')
  const file = { type: 'file', mimeType: 'text/csv', data: Buffer.from(csv).toString('base64') }
  const [inFile, inText] = await Promise.all([shown([new HumanMessage({ content: [file] as never })]), shown([new HumanMessage(csv)])])
  expect(Math.abs(inFile.tokens - inText.tokens)).toBeLessThan(20)
})
it('a screenshot that a tool returns as text is named by type and size', async () => {
  const { messages, tokens } = await shown([asked, call, new ToolMessage({ tool_call_id: 'c', name: 'draw', content: JSON.stringify({ png: png(100_000) }) })])
  expect(messages.at(-1)?.content).toBe('{"png":"[image/png, 100008 bytes, not shown as text]"}')
  expect(tokens).toBeLessThan(200)
})

// As providers' own packages take them: Gemini's parts, Bedrock's blocks.
const bytes = (): Uint8Array => Uint8Array.from(Buffer.from(png(60_000), 'base64'))
const shapes: Readonly<Record<string, () => object>> = {
  'a part of Gemini': () => ({ type: 'inlineData', inlineData: { mimeType: 'image/png', data: png(60_000) } }),
  'a part of Gemini without a type': () => ({ inlineData: { mimeType: 'image/png', data: png(60_000) } }),
  'a file of Gemini': () => ({ type: 'fileData', fileData: { mimeType: 'image/png', fileUri: 'gs://shots/1.png' } }),
  'data beside its media type': () => ({ mimeType: 'image/png', data: png(60_000) }),
  'a media type in the place of the type': () => ({ type: 'image/png', data: png(60_000) }),
  'bytes of Bedrock': () => ({ image: { format: 'png', source: { bytes: bytes() } } }),
}
const shot = (at: number, block: object): BaseMessage[] => [
  new AIMessage({ content: '', tool_calls: [{ id: `s${at}`, name: 'shoot', args: { at } }] }),
  new ToolMessage({ tool_call_id: `s${at}`, name: 'shoot', content: [{ type: 'text', text: `Shot ${at}` }, block] as never }),
]
const policy = { prune: { ladder: ['media'], media: { keep: 2 } } } as const
async function sent(history: BaseMessage[], contextWindow?: number): Promise<{ readonly contents: readonly unknown[]; readonly report?: CompactionReport }> {
  const model = new Recorder('ok')
  const reports: CompactionReport[] = []
  const onReport = (report: CompactionReport): number => reports.push(report)
  await (contextWindow === undefined ? model : withCompaction(model, { limits: { contextWindow, maxOutput: 500 }, policy, onReport })).invoke(history)
  return { contents: (model.seen[0] ?? []).map(({ content }) => content), ...(reports[0] && { report: reports[0] }) }
}

describe('pictures in a result, as a provider’s own package takes them', () => {
  it.each(Object.entries(shapes))('%s: counts as a picture and goes out as it is', async (_name, block) => {
    const history = [asked, ...shot(0, block())]
    const [bare, ours] = await Promise.all([sent(history), sent(history, 1_000_000)])
    expect(ours.contents).toEqual(bare.contents)
    expect(ours.report?.outcome).toBe('unchanged')
    expect(ours.report?.tokens.before).toBeGreaterThanOrEqual(defaultMediaCost.image)
    expect(ours.report?.tokens.before).toBeLessThan(defaultMediaCost.image + 120)
  })
  it.each(Object.entries(shapes))('%s: leaves when it is old', async (_name, block) => {
    const blocks = Array.from({ length: 12 }, block)
    const { contents } = await sent([asked, ...blocks.flatMap((one, at) => shot(at, one))], 20_000)
    expect(contents.at(-1)).toEqual([{ type: 'text', text: 'Shot 11' }, blocks.at(-1)])
    expect(contents).toContainEqual(expect.stringMatching(/^Shot 0\n\[attached, not shown any more: /))
  })
  it('a picture that Gemini drew and signed stays as it is, however old', async () => {
    const drawn = { type: 'inlineData', inlineData: { mimeType: 'image/png', data: png(60_000) }, thoughtSignature: 'c2lnbmVk' }
    const history = [
      asked,
      new AIMessage({ content: [drawn] as never }),
      ...Array.from({ length: 12 }, (_, at) => shot(at, { type: 'image/png', data: png(600) })),
    ]
    const { contents } = await sent(history.flat(), 20_000)
    expect(contents[1]).toEqual([drawn])
    expect(contents[3]).toMatch(/not shown any more/)
  })
  it('a block that nobody knows goes out as it is, and the picture in it counts as one', async () => {
    const history = [asked, ...shot(0, { type: 'hologram', layers: [{ front: png(60_000) }, { depth: bytes() }] })]
    const [bare, ours] = await Promise.all([sent(history), sent(history, 1_000_000)])
    expect(ours.contents).toEqual(bare.contents)
    expect(ours.report?.tokens.before).toBeLessThan(defaultMediaCost.image + defaultMediaCost.other + 200)
  })
})
