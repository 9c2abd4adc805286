import { createAnthropic } from '@ai-sdk/anthropic'
import { createGoogleGenerativeAI } from '@ai-sdk/google'
import { createOpenAI } from '@ai-sdk/openai'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { withCompaction } from '@precis/ai-sdk'
import { recallModel, type StrictProvider, type StrictProviderOptions, strictProvider } from '@precis/testkit'
import { generateText, isStepCount, type ModelMessage, streamText, tool } from 'ai'
import { afterEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { majors, sdkOf } from '../majors.ts'
import { questionOf, vaultScenario, vaults, vaultText } from '../vaults.ts'

// What a host does while a look-up is under way, and around it: it goes away, it insists on a tool, it has ten of them.

const open: StrictProvider[] = []
afterEach(async () => {
  delete process.env['PRECIS_DISABLED']
  await Promise.all(open.splice(0).map((provider) => provider.close()))
})
const name = 'precis_recall'
const limits = { contextWindow: 12_000, maxOutput: 500 }
const reader = (thinks = false) => recallModel(vaultScenario, { looksUp: name, thinks })
type Model = StrictProviderOptions['model']
const start = async (model: Model = reader(), window = 12_000): Promise<StrictProvider> => {
  const provider = await strictProvider({ window, model })
  open.push(provider)
  return provider
}
const tools = {
  read_file: tool({ description: 'Reads a file.', inputSchema: z.object({ path: z.string() }), execute: async ({ path }) => vaultText(path) }),
}
const historyOf = (first: string): ModelMessage[] => [
  { role: 'user', content: 'Read the file of each vault.' },
  { role: 'assistant', content: 'Where do I begin?' },
  { role: 'user', content: `With ${first}.` },
  ...vaults.flatMap(({ path }, at): ModelMessage[] => [
    { role: 'assistant', content: [{ type: 'tool-call', toolCallId: `step_${at}`, toolName: 'read_file', input: { path } }] },
    { role: 'tool', content: [{ type: 'tool-result', toolCallId: `step_${at}`, toolName: 'read_file', output: { type: 'text', value: vaultText(path) } }] },
  ]),
  { role: 'assistant', content: 'All vaults are read.' },
]
const [vault] = vaults as [(typeof vaults)[number]]
const asked = (of = vault, first = 'the first'): ModelMessage[] => [...historyOf(first), { role: 'user', content: questionOf(of) }]
const wires = {
  chat: ({ url }: StrictProvider) => createOpenAICompatible({ baseURL: url, apiKey: 'none', name: 'strict', includeUsage: true })('strict'),
  responses: ({ url }: StrictProvider) => createOpenAI({ baseURL: url, apiKey: 'none' }).responses('strict'),
  anthropic: ({ url }: StrictProvider) => createAnthropic({ baseURL: url, apiKey: 'none' })('strict'),
  google: ({ url }: StrictProvider) => createGoogleGenerativeAI({ baseURL: url, apiKey: 'none' })('strict'),
} as const
type Wire = keyof typeof wires
const names = Object.keys(wires) as Wire[]
const modelAt = (wire: Wire, provider: StrictProvider) => withCompaction(wires[wire](provider), { limits })
const call = (model: ReturnType<typeof modelAt>, messages: ModelMessage[], more: object = {}) => ({
  model,
  messages,
  tools,
  stopWhen: isStepCount(8),
  maxRetries: 0,
  maxOutputTokens: 500,
  ...more,
})
const refused = ({ requests }: StrictProvider) => requests.flatMap(({ status, violations }) => (status === 200 ? [] : [violations[0]?.message ?? 'overflow']))

/** The caller goes away while the request behind its first look-up is being answered. */
const leaving = (controller: AbortController): Model => {
  const read = reader()
  let at = 0
  return (prompt, declared) => {
    if (++at === 2) controller.abort()
    return read(prompt, declared)
  }
}

describe.each(names)('a caller that goes away in the middle of a look-up, %s', (wire) => {
  it('is told so at once, and its next call is as valid as if it had not asked', async () => {
    const controller = new AbortController()
    const provider = await start(leaving(controller))
    const model = modelAt(wire, provider)
    await expect(generateText(call(model, asked(), { abortSignal: controller.signal }))).rejects.toMatchObject({ name: 'AbortError' })
    const { text } = await generateText(call(model, asked()))
    expect([text, refused(provider)]).toEqual([vault.code, []])
  })
  it('in a stream too', async () => {
    const controller = new AbortController()
    const provider = await start(leaving(controller))
    const model = modelAt(wire, provider)
    const kinds: string[] = []
    for await (const { type } of streamText(call(model, asked(), { abortSignal: controller.signal })).fullStream) kinds.push(type)
    expect(kinds.at(-1)).toBe('abort')
    const { text } = await generateText(call(model, asked()))
    expect([text, refused(provider)]).toEqual([vault.code, []])
  })
})

describe.each(names)('a choice of tools, %s', (wire) => {
  it('"required": a look-up is answered, and the agent gets a call of its own', async () => {
    const read = { id: 'r1', tool: 'read_file', input: '{"path":"src/other.ts"}' }
    const look = { id: 'look_1', tool: name, input: JSON.stringify({ query: questionOf(vault) }) }
    let at = 0
    const provider = await start(() => ({ text: '', calls: [at++ === 0 ? look : read] }))
    const { steps } = await generateText(call(modelAt(wire, provider), asked(), { toolChoice: 'required', stopWhen: isStepCount(1) }))
    expect(steps.map(({ toolCalls }) => toolCalls.map(({ toolName }) => toolName))).toEqual([['read_file']])
    expect([provider.requests.length, refused(provider)]).toEqual([2, []])
  })
  it('"none": nothing is looked up, and the list of tools stays', async () => {
    const provider = await start()
    const model = modelAt(wire, provider)
    await generateText(call(model, asked()))
    const before = provider.requests.length
    await generateText(call(model, asked(), { toolChoice: 'none' }))
    expect(refused(provider)).toEqual([])
    // Anthropic's client takes all tools out of a request that may use none.
    const { tools: list = [] } = provider.requests[before]?.declared ?? {}
    expect(list.length === 0 || list.includes(name)).toBe(true)
  })
})

it.each(majors)('"none", in a chat whose only calls were look-ups: nothing is refused, and the next call is offered them again, %s', async (major) => {
  const sdk = await sdkOf(major)
  const look = { id: 'look_1', tool: name, input: '{"query":"code of the gate"}' }
  let at = 0
  const provider = await start(() => (at++ === 0 ? { text: '', calls: [look] } : { text: 'Noted.', calls: [] }))
  const model = withCompaction(sdk.modelAt('anthropic', provider.url) as never, { limits })
  const messages: object[] = Array.from({ length: 41 }, (_, turn) => ({
    role: turn % 2 === 0 ? 'user' : 'assistant',
    content: `${turn === 3 ? 'The code of the gate is KX-7.' : turn} ${'word '.repeat(300)}`,
  }))
  for (const toolChoice of ['auto', 'none', 'auto']) {
    const { text } = await sdk.generateText({ model, messages, tools: sdk.tools, toolChoice, maxRetries: 0, maxOutputTokens: 500 })
    messages.push({ role: 'assistant', content: text }, { role: 'user', content: 'Go on.' })
  }
  expect(refused(provider)).toEqual([])
  expect(provider.requests.at(-1)?.declared.tools).toContain(name)
  expect(provider.requests.at(-1)?.prompt.some(({ text }) => text.includes('Quoted from earlier'))).toBe(true)
})

it.each(names)('ten conversations that begin alike, at once: each finds its own, %s', async (wire) => {
  const provider = await start(reader(wire !== 'chat'))
  const model = modelAt(wire, provider)
  const ten = Array.from({ length: 10 }, (_, at) => vaults[at % vaults.length] ?? vault)
  const answers = await Promise.all(ten.map((one, at) => generateText(call(model, asked(one, `number ${at}`))).then(({ text }) => text)))
  expect(answers).toEqual(ten.map(({ code }) => code))
  expect(refused(provider)).toEqual([])
})

it.each(names)('PRECIS_DISABLED=1: every request is the one that would go out without us, %s', async (wire) => {
  process.env['PRECIS_DISABLED'] = '1'
  const [ours, bare] = [await start(reader(), 200_000), await start(reader(), 200_000)]
  const { text } = await generateText(call(modelAt(wire, ours), asked()))
  await generateText(call(wires[wire](bare) as never, asked()))
  const sent = ({ requests }: StrictProvider) =>
    requests.map(({ prompt, declared, settings }) => ({ said: prompt.map(({ role, text }) => [role, text]), declared, settings }))
  expect(text).toBe(vault.code)
  expect(sent(ours)).toEqual(sent(bare))
})
