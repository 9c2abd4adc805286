import { AIMessage, type BaseMessage, HumanMessage, ToolMessage } from '@langchain/core/messages'
import { compaction, withCompaction } from '@precis/langchain'
import { recallModel, type StrictProvider, type StrictProviderOptions, strictProvider } from '@precis/testkit'
import { createAgent } from 'langchain'
import { afterEach, describe, expect, it } from 'vitest'
import { modelAt, questionOf, readFile, vaultScenario, vaults, vaultText, type Wire } from '../vaults.ts'

// What a host does while a look-up is under way, and around it: it goes away, its provider fails, it has ten of them.

const open: StrictProvider[] = []
afterEach(async () => {
  delete process.env['PRECIS_DISABLED']
  await Promise.all(open.splice(0).map((provider) => provider.close()))
})
const limits = { contextWindow: 12_000, maxOutput: 500 }
const reader = (thinks = false) => recallModel(vaultScenario, { looksUp: 'precis_recall', thinks })
const start = async (more: Partial<StrictProviderOptions> = {}): Promise<StrictProvider> => {
  const provider = await strictProvider({ window: 12_000, maxOutput: 500, model: reader(), ...more })
  open.push(provider)
  return provider
}
const historyOf = (first: string): BaseMessage[] => [
  new HumanMessage('Read the file of each vault.'),
  new AIMessage(`I begin with ${first}.`),
  ...vaults.flatMap(({ path }, at) => [
    new AIMessage({ content: '', tool_calls: [{ id: `step_${at}`, name: 'read_file', args: { path } }] }),
    new ToolMessage({ content: vaultText(path), tool_call_id: `step_${at}`, name: 'read_file' }),
  ]),
  new AIMessage('All vaults are read.'),
]
const [vault] = vaults as [(typeof vaults)[number]]
const asked = (of = vault, first = 'the first'): BaseMessage[] => [...historyOf(first), new HumanMessage(questionOf(of))]
const wires: readonly Wire[] = ['openai', 'openai-responses', 'anthropic']
const refused = ({ requests }: StrictProvider) => requests.flatMap(({ status, violations }) => (status === 200 ? [] : [violations[0]?.message ?? 'overflow']))

type Ask = (messages: BaseMessage[], signal?: AbortSignal) => Promise<string>
const doors: Readonly<Record<string, (wire: Wire, provider: StrictProvider) => Ask>> = {
  'compaction()': (wire, { url }) => {
    const agent = createAgent({ model: modelAt(wire, url), tools: [readFile], middleware: [compaction({ limits })] })
    return async (messages, signal) => (await agent.invoke({ messages }, { ...(signal !== undefined && { signal }) })).messages.at(-1)?.text ?? ''
  },
  'withCompaction()': (wire, { url }) => {
    const model = withCompaction(modelAt(wire, url), { limits }).bindTools?.([readFile])
    return async (messages, signal) => (await model?.invoke(messages, { ...(signal !== undefined && { signal }) }))?.text ?? ''
  },
  'withCompaction() in a stream': (wire, { url }) => {
    const model = withCompaction(modelAt(wire, url), { limits }).bindTools?.([readFile])
    return async (messages, signal) => {
      let text = ''
      for await (const chunk of (await model?.stream(messages, { ...(signal !== undefined && { signal }) })) ?? []) text += chunk.text
      return text
    }
  },
}
const cases = Object.keys(doors).flatMap((door) => wires.map((wire) => [door, wire] as const))
const askThrough = (door: string, wire: Wire, provider: StrictProvider): Ask => (doors[door] as (typeof doors)[string])(wire, provider)

describe.each(cases)('%s, %s', (door, wire) => {
  it('a caller that goes away in the middle of a look-up is told so, and its next call is valid', async () => {
    const controller = new AbortController()
    const read = reader()
    let at = 0
    const provider = await start({
      model: (prompt, declared) => {
        if (++at === 2) controller.abort()
        return read(prompt, declared)
      },
    })
    const ask = askThrough(door, wire, provider)
    await expect(ask(asked(), controller.signal)).rejects.toThrow(/abort/i)
    expect([await ask(asked()), refused(provider)]).toEqual([vault.code, []])
  })
  it('an error of the second round is the provider’s own, and the next call is valid', async () => {
    const provider = await start({ hiccups: { 1: 503 } })
    const ask = askThrough(door, wire, provider)
    // What an agent's middleware lets through the framework wraps.
    const failure = door === 'compaction()' ? { cause: { status: 503 } } : { status: 503 }
    await expect(ask(asked())).rejects.toMatchObject(failure)
    expect([await ask(asked()), refused(provider)]).toEqual([vault.code, []])
  })
  it('ten conversations that begin alike, at once: each finds its own', async () => {
    const provider = await start({ model: reader(wire !== 'openai') })
    const ask = askThrough(door, wire, provider)
    const ten = Array.from({ length: 10 }, (_, at) => vaults[at % vaults.length] ?? vault)
    expect(await Promise.all(ten.map((one, at) => ask(asked(one, `number ${at}`))))).toEqual(ten.map(({ code }) => code))
    expect(refused(provider)).toEqual([])
  })
  it('a result that arrives when the model has looked something up since: stands last, with its call', async () => {
    const provider = await start({ model: reader(wire !== 'openai') })
    const ask = askThrough(door, wire, provider)
    const pending = new AIMessage({ content: '', tool_calls: [{ id: 'late', name: 'read_file', args: { path: 'src/other.ts' } }] })
    const input = [...historyOf('the first'), new HumanMessage('Read another one.'), pending, new HumanMessage(questionOf(vault))]
    const late = new ToolMessage({ content: 'Here it is.', tool_call_id: 'late', name: 'read_file' })
    const first = await ask(input)
    await ask([...input, new AIMessage(first), late])
    expect([first, refused(provider)]).toEqual([vault.code, []])
    const prompt = provider.requests.at(-1)?.prompt ?? []
    expect(prompt.slice(-2)).toMatchObject([{ callIds: ['late'] }, { isResult: true, text: 'Here it is.' }])
    const at = (begins: string): number => prompt.findLastIndex(({ text }) => text.startsWith(begins))
    expect(at('Quoted from earlier')).toBe(at(vault.code) - 1)
  })
  it('PRECIS_DISABLED=1: nothing is offered and nothing is cut', async () => {
    process.env['PRECIS_DISABLED'] = '1'
    const provider = await start({ window: 200_000 })
    expect(await askThrough(door, wire, provider)(asked())).toBe(vault.code)
    expect(provider.requests.map(({ declared }) => declared.tools)).toEqual([['read_file']])
  })
})
