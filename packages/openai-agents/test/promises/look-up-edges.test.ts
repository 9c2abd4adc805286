import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Agent, type AgentInputItem, OpenAIProvider, Runner, setTracingDisabled } from '@openai/agents'
import { withCompaction } from '@precis/openai-agents'
import { recallModel, type StrictProvider, type StrictProviderOptions, strictProvider } from '@precis/testkit'
import OpenAI from 'openai'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { questionOf, readFileTool, vaultScenario, vaults, vaultText } from '../vaults.ts'

// What a host does while a look-up is under way, and around it: it goes away, it insists on a tool, it has ten of them.

setTracingDisabled(true)
const open: StrictProvider[] = []
afterEach(async () => {
  vi.unstubAllEnvs()
  await Promise.all(open.splice(0).map((provider) => provider.close()))
})
const name = 'precis_recall'
const reader = (thinks = false) => recallModel(vaultScenario, { looksUp: name, thinks })
const start = async (more: Partial<StrictProviderOptions> = {}): Promise<StrictProvider> => {
  const provider = await strictProvider({ window: 12_000, model: reader(), ...more })
  open.push(provider)
  return provider
}
const historyOf = (first: string) =>
  [
    { role: 'user', content: 'Read the file of each vault.' },
    { role: 'assistant', status: 'completed', content: [{ type: 'output_text', text: 'Where do I begin?' }] },
    { role: 'user', content: `With ${first}.` },
    ...vaults.flatMap(({ path }, at) => [
      { type: 'function_call', callId: `step_${at}`, name: 'read_file', arguments: JSON.stringify({ path }), status: 'completed' },
      { type: 'function_call_result', callId: `step_${at}`, name: 'read_file', status: 'completed', output: { type: 'text', text: vaultText(path) } },
    ]),
    { role: 'assistant', status: 'completed', content: [{ type: 'output_text', text: 'All vaults are read.' }] },
  ] as AgentInputItem[]
const [vault] = vaults as [(typeof vaults)[number]]
const asked = (of = vault, first = 'the first'): AgentInputItem[] => [...historyOf(first), { role: 'user', content: questionOf(of) }]

const providerFor = (useResponses: boolean, { url }: StrictProvider) =>
  new OpenAIProvider({ openAIClient: new OpenAI({ apiKey: 'none', baseURL: url, maxRetries: 0 }) as never, useResponses })
const wrap = (useResponses: boolean, provider: StrictProvider) =>
  withCompaction(providerFor(useResponses, provider), { limits: { contextWindow: 12_000, maxOutput: 500 } })

interface Asked {
  readonly stream: boolean
  readonly input?: AgentInputItem[]
  readonly signal?: AbortSignal
  readonly settings?: object
}
const ask = async (modelProvider: object, asked: Asked): Promise<unknown> => (await run(modelProvider, asked)).finalOutput
async function run(modelProvider: object, { stream, input = asked(), signal, settings = {} }: Asked) {
  const agent = new Agent({ name: 'reader', model: 'strict', tools: [readFileTool], modelSettings: { maxTokens: 500, ...settings } })
  const runner = new Runner({ modelProvider: modelProvider as never })
  const options = { maxTurns: 8, ...(signal !== undefined && { signal }) }
  if (!stream) return runner.run(agent, input, options)
  const result = await runner.run(agent, input, { ...options, stream: true })
  for await (const _ of result);
  await result.completed
  return result
}
const refused = ({ requests }: StrictProvider) => requests.flatMap(({ status, violations }) => (status === 200 ? [] : [violations[0]?.message ?? 'overflow']))

describe.each([
  ['chat', false, false],
  ['chat', false, true],
  ['responses', true, false],
  ['responses', true, true],
] as const)('%s', (_, useResponses, stream) => {
  it(`a caller that goes away in the middle of a look-up: its next call is valid; streamed: ${stream}`, async () => {
    const controller = new AbortController()
    const read = reader()
    let at = 0
    const provider = await start({
      model: (prompt, declared) => {
        if (++at === 2) controller.abort()
        return read(prompt, declared)
      },
    })
    const model = wrap(useResponses, provider)
    const left = await ask(model, { stream, signal: controller.signal }).then(
      (text) => text,
      ({ name, message }: Error) => `${name} ${message}`,
    )
    // The SDK ends a stream that was aborted without an error.
    if (stream) expect(left ?? 'abort').toMatch(/abort/i)
    else expect(left).toMatch(/abort/i)
    expect([await ask(model, { stream }), refused(provider)]).toEqual([vault.code, []])
  })
  it(`an error of the second round is the provider’s own, and the next call is valid; streamed: ${stream}`, async () => {
    const provider = await start({ hiccups: { 1: 401 } })
    const model = wrap(useResponses, provider)
    await expect(ask(model, { stream })).rejects.toMatchObject({ status: 401 })
    expect([await ask(model, { stream }), refused(provider)]).toEqual([vault.code, []])
  })
  it(`who gives up on a request is told so by its client; streamed: ${stream}`, async () => {
    const silent = createServer(() => controller.abort(new Error('a reason of its own')))
    const controller = new AbortController()
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
    const url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}/v1`
    const given = (model: object) =>
      run(model, { stream, input: [{ role: 'user', content: 'hi' }], signal: controller.signal }).catch((error: unknown) => String(error))
    expect(await given(wrap(useResponses, { url } as StrictProvider))).toBe('Error: Request was aborted.')
    silent.closeAllConnections()
    silent.close()
  })
  it(`ten conversations that begin alike, at once: each finds its own; streamed: ${stream}`, async () => {
    const provider = await start({ model: reader(useResponses) })
    const model = wrap(useResponses, provider)
    const ten = Array.from({ length: 10 }, (_, at) => vaults[at % vaults.length] ?? vault)
    const answers = await Promise.all(ten.map((one, at) => ask(model, { stream, input: asked(one, `number ${at}`) })))
    expect(answers).toEqual(ten.map(({ code }) => code))
    expect(refused(provider)).toEqual([])
  })
  it(`a choice that requires a call: a look-up is answered, and the agent gets a call of its own; streamed: ${stream}`, async () => {
    const read = { id: 'r1', tool: 'read_file', input: '{"path":"src/other.ts"}' }
    const look = { id: 'look_1', tool: name, input: JSON.stringify({ query: questionOf(vault) }) }
    const replies = [
      { text: '', calls: [look] },
      { text: '', calls: [read] },
    ]
    let at = 0
    const provider = await start({ model: () => replies[at++] ?? { text: 'done', calls: [] } })
    expect(await ask(wrap(useResponses, provider), { stream, settings: { toolChoice: 'required' } })).toBe('done')
    expect([provider.requests.length, refused(provider)]).toEqual([3, []])
  })
  it(`a result that arrives when the model has looked something up since: stands last, with its call; streamed: ${stream}`, async () => {
    const provider = await start({ model: reader(useResponses) })
    const model = wrap(useResponses, provider)
    const pending = { type: 'function_call', callId: 'late', name: 'read_file', arguments: '{"path":"src/other.ts"}', status: 'completed' } as AgentInputItem
    const input = [...historyOf('the first'), { role: 'user', content: 'Read another one.' }, pending, { role: 'user', content: questionOf(vault) }]
    const late = { type: 'function_call_result', callId: 'late', name: 'read_file', status: 'completed', output: { type: 'text', text: 'Here it is.' } }
    const first = await run(model, { stream, input: input as AgentInputItem[] })
    await ask(model, { stream, input: [...first.history, late as AgentInputItem] })
    expect([first.finalOutput, refused(provider)]).toEqual([vault.code, []])
    expect(provider.requests.at(-1)?.prompt.slice(-2)).toMatchObject([{ callIds: ['late'] }, { isResult: true, text: 'Here it is.' }])
  })
  it(`PRECIS_DISABLED=1: nothing is offered and nothing is cut; streamed: ${stream}`, async () => {
    vi.stubEnv('PRECIS_DISABLED', '1')
    const provider = await start({ window: 200_000 })
    expect(await ask(wrap(useResponses, provider), { stream })).toBe(vault.code)
    expect(provider.requests.map(({ declared }) => declared.tools)).toEqual([['read_file']])
  })
})

// What is not streamed the SDK repeats as a whole, where it was told to.
describe.each([
  ['chat', false],
  ['responses', true],
] as const)('a stream of %s, a request behind a look-up', (_, useResponses) => {
  it('that fails for a moment is sent again', async () => {
    const provider = await start({ hiccups: { 1: 503 } })
    expect([await ask(wrap(useResponses, provider), { stream: true }), refused(provider)]).toEqual([vault.code, []])
  })
  it('whose connection is lost is sent again', async () => {
    const provider = await start()
    let requests = 0
    const lost = createServer(async (request, response) => {
      if (++requests === 2) return void request.socket.destroy()
      let body = ''
      for await (const piece of request) body += String(piece)
      const url = new URL(request.url ?? '', provider.url)
      const answer = await fetch(url, { method: 'POST', body, headers: { 'content-type': 'application/json' } })
      response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' }).end(await answer.text())
    })
    await new Promise<void>((resolve) => lost.listen(0, '127.0.0.1', resolve))
    const url = `http://127.0.0.1:${(lost.address() as AddressInfo).port}/v1`
    expect([await ask(wrap(useResponses, { url } as StrictProvider), { stream: true }), requests]).toEqual([vault.code, 3])
    lost.closeAllConnections()
    lost.close()
  })
})
