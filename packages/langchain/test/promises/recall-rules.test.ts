import { AIMessage, type AIMessageChunk, type BaseMessage, HumanMessage, ToolMessage } from '@langchain/core/messages'
import type { CompactionReport } from '@precis/core'
import { compaction, type WithCompactionOptions, withCompaction } from '@precis/langchain'
import { type Declared, type ModelReply, type PromptEntry, recallModel, type StrictProvider, type StrictProviderOptions, strictProvider } from '@precis/testkit'
import { createAgent, providerStrategy } from 'langchain'
import { afterEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { modelAt, namedQuestionOf, questionOf, readFile, vaultScenario, vaults, vaultText, type Wire } from '../vaults.ts'

const open: StrictProvider[] = []
afterEach(async () => {
  delete process.env['PRECIS_RECALL']
  await Promise.all(open.splice(0).map((provider) => provider.close()))
})
const name = 'precis_recall'
const limits = { contextWindow: 12_000, maxOutput: 500 }
const start = async (more: Partial<StrictProviderOptions> = {}): Promise<StrictProvider> => {
  const provider = await strictProvider({ window: 12_000, maxOutput: 500, model: recallModel(vaultScenario, { looksUp: name, thinks: true }), ...more })
  open.push(provider)
  return provider
}
/** A history of all vaults, long enough that most of it leaves. */
const history: readonly BaseMessage[] = [
  new HumanMessage('Read the file of each vault.'),
  ...vaults.flatMap(({ path }, at) => [
    new AIMessage({ content: '', tool_calls: [{ id: `step_${at}`, name: 'read_file', args: { path } }] }),
    new ToolMessage({ content: vaultText(path), tool_call_id: `step_${at}`, name: 'read_file' }),
  ]),
  new AIMessage('All vaults are read.'),
]
const [vault] = vaults as [(typeof vaults)[number]]
const asked = (of = vault): BaseMessage[] => [...history, new HumanMessage(questionOf(of))]
const bare = (wire: Wire, { url }: StrictProvider) => modelAt(wire, url)

type Door = 'compaction()' | 'withCompaction()' | 'withCompaction() in a stream'
type Ask = (messages: readonly BaseMessage[]) => Promise<readonly BaseMessage[]>

/** One turn through a door: the messages that it adds to the history. */
function doorOf(door: Door, wire: Wire, provider: StrictProvider, options: WithCompactionOptions = {}): Ask {
  if (door === 'compaction()') {
    const agent = createAgent({ model: bare(wire, provider), tools: [readFile], middleware: [compaction({ limits, ...options })] })
    return async (messages) => (await agent.invoke({ messages: [...messages] })).messages.slice(messages.length)
  }
  const model = withCompaction(bare(wire, provider), { limits, ...options }).bindTools?.([readFile])
  const call = async (messages: readonly BaseMessage[]): Promise<AIMessage> => {
    if (door === 'withCompaction()') return (await model?.invoke([...messages])) as AIMessage
    let whole: AIMessageChunk | undefined
    for await (const chunk of (await model?.stream([...messages])) ?? [])
      whole = whole === undefined ? (chunk as AIMessageChunk) : whole.concat(chunk as AIMessageChunk)
    return whole as unknown as AIMessage
  }
  return async (messages) => {
    const said: BaseMessage[] = []
    for (;;) {
      const reply = await call([...messages, ...said])
      said.push(reply)
      if ((reply.tool_calls ?? []).length === 0) return said
      for (const { id = '', name, args } of reply.tool_calls ?? [])
        said.push(new ToolMessage({ content: vaultText(String(args['path'])), tool_call_id: id, name }))
    }
  }
}
const refusals = ({ requests }: StrictProvider) => requests.flatMap(({ status, violations }) => (status === 200 ? [] : [violations[0]?.message ?? 'overflow']))
const offered = ({ requests }: StrictProvider) => requests.map(({ declared }) => declared.tools.includes(name))
/** Replies by what was asked of the provider so far. */
const scripted = (...replies: readonly ((prompt: readonly PromptEntry[], declared: Declared) => Partial<ModelReply>)[]) => {
  let at = 0
  return (prompt: readonly PromptEntry[], declared: Declared): ModelReply => ({
    text: '',
    calls: [],
    thinking: `Thought ${at}.`,
    ...replies[Math.min(at++, replies.length - 1)]?.(prompt, declared),
  })
}
let ids = 0
const look = (input: object = { query: questionOf(vault) }) => ({ id: `look_${++ids}`, tool: name, input: JSON.stringify(input) })
const read = () => ({ id: `read_${++ids}`, tool: 'read_file', input: JSON.stringify({ path: 'src/other.ts' }) })

const doors: readonly Door[] = ['compaction()', 'withCompaction()', 'withCompaction() in a stream']
const wires: readonly Wire[] = ['openai', 'openai-responses', 'anthropic']

describe.each(doors.flatMap((door) => wires.map((wire) => [door, wire] as const)))('recall by %s over %s', (door, wire) => {
  it('another process for every turn: nothing of a hidden round is refused', async () => {
    const provider = await start()
    const chat = [...history]
    for (const one of vaults) {
      chat.push(new HumanMessage(questionOf(one)))
      const said = await doorOf(door, wire, provider)(chat)
      expect(said).toHaveLength(1)
      expect(said[0]?.text).toContain(one.code)
      chat.push(...said)
    }
    expect(refusals(provider)).toEqual([])
  })
  it('a conversation that goes on without us is as valid', async () => {
    const provider = await start({ window: 200_000 })
    const said = await doorOf(door, wire, provider)(asked())
    expect(provider.requests).toHaveLength(2)
    await bare(wire, provider)
      .bindTools?.([readFile])
      .invoke([...asked(), ...said, new HumanMessage(questionOf(vaults[1] ?? vault))])
    expect(refusals(provider)).toEqual([])
  })
  it('a look-up beside a call of the agent: that is returned, and ours is answered at its place', async () => {
    const provider = await start({
      model: scripted(
        () => ({ text: 'Both at once.', calls: [look(), read(), look({ message: 2 })] }),
        (prompt) => ({ text: prompt.some(({ text }) => text.includes(vault.code)) ? 'found' : 'lost' }),
      ),
    })
    const said = await doorOf(door, wire, provider)(asked())
    expect(refusals(provider)).toEqual([])
    expect(said.map((message) => message.getType())).toEqual(['ai', 'tool', 'ai'])
    expect(said.at(-1)?.text).toBe('found')
    expect(JSON.stringify(said)).not.toContain(name)
    const last = provider.requests[1]?.prompt ?? []
    expect(last.filter(({ isResult }) => isResult).length).toBeGreaterThan(0)
    expect(last.flatMap(({ callIds }) => callIds).filter((id) => id.startsWith('look_')).length).toBeGreaterThanOrEqual(2)
  })
  it('a request after a look-up that is refused for its size is counted whole, and sent again smaller', async () => {
    const run = async (window: number) => {
      const replies = scripted(
        () => ({ text: 'Let me see. ', calls: [look()] }),
        () => ({ text: 'Found.' }),
      )
      const provider = await start({ window, model: replies })
      const reports: CompactionReport[] = []
      return { provider, reports, said: await doorOf(door, wire, provider, { onReport: (report) => reports.push(report) })(asked()) }
    }
    const { provider: roomy } = await run(200_000)
    const { provider, said, reports } = await run((roomy.requests[1]?.inputTokens ?? 0) + 500 - 20)
    expect([said.at(-1)?.text, refusals(provider)]).toEqual(['Let me see. Found.', ['overflow']])
    expect(provider.requests.at(-1)?.prompt.at(-1)?.isResult).toBe(true)
    expect(reports.at(-1)?.tokens.before).toBeGreaterThanOrEqual(provider.requests[1]?.inputTokens ?? Infinity)
  })
  it('at most two rounds are answered; then it goes on without', async () => {
    const provider = await start({ model: scripted((_, declared) => (declared.tools.includes(name) ? { calls: [look()] } : { text: 'Then without.' })) })
    const said = await doorOf(door, wire, provider)(asked())
    expect(said.map(({ text }) => text)).toEqual(['Then without.'])
    expect(refusals(provider)).toEqual([])
    expect(offered(provider)).toEqual([true, true, true, false])
    expect(provider.requests[2]?.prompt.at(-1)?.text).toContain('This was the last look-up of this step')
    expect(provider.requests[3]?.prompt.at(-1)?.text).toContain('No more look-ups')
  })
  it('a model that is never satisfied ends its step with what it said', async () => {
    const provider = await start({ model: scripted(() => ({ text: 'Hm. ', calls: [look()] })) })
    const said = await doorOf(door, wire, provider)(asked())
    expect(provider.requests).toHaveLength(4)
    expect(said).toHaveLength(1)
    expect([said[0]?.text, (said[0] as AIMessage).tool_calls]).toEqual(['Hm. Hm. Hm. Hm. ', []])
  })
  it('a provider that refuses our tool is asked without it, and not again', async () => {
    const provider = await start({ refusesTools: (all) => (all.includes(name) ? 'tools: this name is not allowed here' : undefined) })
    const ask = doorOf(door, wire, provider)
    expect([(await ask(asked())).at(-1)?.text, (await ask(asked())).at(-1)?.text]).toEqual(['I do not know.', 'I do not know.'])
    expect(offered(provider)).toEqual([true, false, false])
  })
  it('conversations that begin alike keep each its own look-ups', async () => {
    const provider = await start()
    const ask = doorOf(door, wire, provider)
    const another = [...history.slice(0, 5), new HumanMessage('I am another.'), ...history.slice(5), new HumanMessage(questionOf(vault))]
    const chats = [asked(), another]
    const answers = [await ask(asked()), await ask(another)]
    expect(answers.map((messages) => messages.at(-1)?.text)).toEqual([vault.code, vault.code])
    for (const [at, said] of answers.entries()) {
      const before = provider.requests.length
      await ask([...(chats[at] ?? []), ...said, new HumanMessage(questionOf(vaults[1] as typeof vault))])
      expect(provider.requests[before]?.prompt.flatMap(({ callIds }) => callIds.filter((id) => id.startsWith('look_')))).toHaveLength(1)
    }
  })
  it('a round stays where it was asked for until the next compaction: the prompt’s beginning is kept', async () => {
    const provider = await start()
    const ask = doorOf(door, wire, provider)
    const chat = [...history]
    for (const one of vaults) {
      chat.push(new HumanMessage(questionOf(one)))
      chat.push(...(await ask(chat)))
    }
    expect(refusals(provider)).toEqual([])
    const prompts = provider.requests.map(({ prompt }) => prompt.map(({ role, text }) => `${role}: ${text}`))
    const broken = prompts.slice(1).filter((prompt, at) => prompts[at]?.some((entry, index) => entry !== prompt[index])).length
    expect(broken).toBeLessThan(vaults.length / 2)
    expect(prompts.length).toBeGreaterThan(vaults.length * 1.5)
  })
})

describe('offered', () => {
  it.each(['recall: "off"', 'PRECIS_RECALL=off', 'no tools'] as const)('not with %s', async (how) => {
    if (how === 'PRECIS_RECALL=off') process.env['PRECIS_RECALL'] = 'off'
    const provider = await start()
    const model = withCompaction(bare('openai', provider), { limits, ...(how === 'recall: "off"' && { recall: 'off' }) })
    await (how === 'no tools' ? model : model.bindTools?.([readFile]))?.invoke(asked())
    expect(offered(provider)).toEqual([false])
  })
  it.each(['invoke', 'stream'] as const)('an object is what the model says last: %s', async (mode) => {
    const provider = await start({
      model: scripted(
        () => ({ text: 'Let me see.', calls: [look()] }),
        () => ({ text: '{"code":"x"}' }),
      ),
    })
    const model = withCompaction(bare('openai', provider), { limits })
      .bindTools?.([readFile])
      .withConfig({ response_format: { type: 'json_object' } } as never)
    let text = ''
    if (mode === 'invoke') text = (await model?.invoke(asked()))?.text ?? ''
    else for await (const chunk of (await model?.stream(asked())) ?? []) text += chunk.text
    expect(text).toBe('{"code":"x"}')
    expect(provider.requests).toHaveLength(2)
  })
  it('an agent with a response format gets its object', async () => {
    const provider = await start({
      model: scripted(
        () => ({ calls: [look()] }),
        () => ({ text: '{"code":"x"}' }),
      ),
    })
    const agent = createAgent({
      model: bare('openai', provider),
      tools: [readFile],
      responseFormat: providerStrategy(z.object({ code: z.string() })),
      middleware: [compaction({ limits })],
    })
    expect((await agent.invoke({ messages: asked() })).structuredResponse).toEqual({ code: 'x' })
    expect(provider.requests).toHaveLength(2)
  })
  it('recall: "tool" is answered by the agent’s own loop, from the same history', async () => {
    const provider = await start()
    const agent = createAgent({ model: bare('openai', provider), tools: [readFile], middleware: [compaction({ limits, recall: 'tool' })] })
    const { messages } = await agent.invoke({ messages: asked() })
    expect(messages.slice(history.length + 1).map((message) => message.getType())).toEqual(['ai', 'tool', 'ai'])
    expect(messages.at(-1)?.text).toBe(vault.code)
    expect(refusals(provider)).toEqual([])
  })
})

describe('a prompt that the provider keeps', () => {
  it.each(['of the call', 'of the model'])('%s: no look-up is offered, and nothing comes back', async (whose) => {
    const provider = await start({ model: recallModel(vaultScenario) })
    const kept = { prompt: { id: 'pmpt_1' } }
    const model = modelAt('openai-responses', provider.url, whose === 'of the model' ? { modelKwargs: kept } : {})
    const wrapped = withCompaction(model, { limits }).bindTools?.([readFile], (whose === 'of the call' ? kept : {}) as object)
    const question = new HumanMessage(namedQuestionOf(vault))
    await wrapped?.invoke([...history, new HumanMessage('Hello.')]).catch(() => undefined)
    await wrapped?.invoke([...history, new HumanMessage('Hello.'), new AIMessage('Hello.'), question]).catch(() => undefined)
    expect(provider.requests.length).toBeGreaterThan(1)
    expect(offered(provider)).not.toContain(true)
    expect(JSON.stringify(provider.requests)).not.toContain('Earlier passages')
  })
})
