import { type AIMessage, HumanMessage } from '@langchain/core/messages'
import { type CompactionReport, memoryStorage } from '@precis/core'
import { withCompaction } from '@precis/langchain'
import { recallModel, type StrictProvider } from '@precis/testkit'
import { afterEach, describe, expect, it } from 'vitest'
import { questionOf, readFile, vaultScenario, vaults, vaultText } from '../../vaults.ts'
import { asked, bare, close, doorOf, doors, history, limits, look, name, offered, read, refusals, scripted, start, vault, wires } from './setup.ts'

afterEach(close)

describe.each(doors.flatMap((door) => wires.map((wire) => [door, wire] as const)))('recall by %s over %s', (door, wire) => {
  it('another process for every turn: nothing of a hidden round is refused', async () => {
    const provider = await start()
    const chat = [...history]
    for (const one of vaults) {
      chat.push(new HumanMessage(questionOf(one)))
      const said = await doorOf(door, wire, provider, { storage: memoryStorage() })(chat)
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
  it('words before a look-up stand where another process may send them', async () => {
    const replies = scripted(
      () => ({ text: 'Let me see. ', calls: [look()] }),
      () => ({ calls: [read()] }),
      () => ({ text: 'Done.' }),
    )
    const provider = await start({ model: replies })
    const said = await doorOf(door, wire, provider)(asked())
    expect(said.map(({ text }) => text)).toEqual(['Let me see. ', expect.any(String), 'Done.'])
    expect(JSON.stringify(said)).not.toContain('look_')
    const times = () => JSON.stringify(provider.requests.at(-1)?.prompt).split('Let me see.').length - 1
    expect(times()).toBe(1)
    await doorOf(door, wire, provider, { storage: memoryStorage() })([...asked(), ...said.slice(0, 2)])
    expect(refusals(provider)).toEqual([])
    // Of the Responses API LangChain sends back the items of the last round.
    expect(times()).toBe(wire === 'openai-responses' ? 0 : 1)
  })
  it('words of two rounds are two paragraphs, and the next request has each as it was said', async () => {
    const provider = await start({
      window: 200_000,
      model: scripted(
        () => ({ text: 'Let me see.', calls: [look()] }),
        () => ({ text: 'There it is.' }),
        () => ({ text: 'Goodbye.' }),
      ),
    })
    const ask = doorOf(door, wire, provider)
    const said = await ask(asked())
    expect(said[0]?.text).toBe('Let me see.\n\nThere it is.')
    expect((await ask([...asked(), ...said, new HumanMessage('Thanks.')]))[0]?.text).toBe('Goodbye.')
    const sent = provider.requests.at(-1)?.prompt.map(({ text }) => text) ?? []
    expect(sent.filter((text) => text.includes('There it is.'))).toEqual([expect.not.stringContaining('\n\n')])
    expect([sent.filter((text) => text.includes('Let me see.')).length, refusals(provider)]).toEqual([1, []])
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
      return { provider, reports, said: await doorOf(door, wire, provider, { storage: memoryStorage(), onReport: (report) => reports.push(report) })(asked()) }
    }
    const { provider: roomy } = await run(200_000)
    const { provider, said, reports } = await run((roomy.requests[1]?.inputTokens ?? 0) + 500 - 20)
    expect([said.at(-1)?.text, refusals(provider)]).toEqual(['Let me see. Found.', ['overflow']])
    expect(provider.requests.at(-1)?.prompt.at(-1)?.isResult).toBe(true)
    expect(reports.at(-1)?.tokens.before).toBeGreaterThanOrEqual(provider.requests[1]?.inputTokens ?? Infinity)
  })
  it.each([12_000, 11_400, 11_250])('what is looked up beside a question that nearly fills the window fits, or is left out: %i', async (window) => {
    const replies = scripted(
      () => ({ calls: Array.from({ length: 8 }, () => look({ message: 2 })) }),
      (_, declared) => ({ text: declared.tools.includes(name) ? 'Done.' : 'Then without.' }),
    )
    const provider = await start({ window, model: replies })
    const content = vaultText('src/other.ts').repeat(9)
    const said = await doorOf(door, wire, provider, { storage: memoryStorage() })([...history, new HumanMessage(content)])
    expect(said).toHaveLength(1)
    expect(['Done.', 'Then without.']).toContain(said[0]?.text)
    expect(refusals(provider).length).toBeLessThanOrEqual(1)
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

describe('the time that a call is given', () => {
  /** Each reply takes a while. */
  const slow = (milliseconds: number) => {
    const model = recallModel(vaultScenario, { looksUp: name })
    return start({
      model: (prompt, declared) => {
        const until = performance.now() + milliseconds
        while (performance.now() < until);
        return model(prompt, declared)
      },
    })
  }
  const ask = async (provider: StrictProvider, timeout: number, streams: boolean): Promise<void> => {
    const model = withCompaction(bare('openai', provider), { limits }).bindTools?.([readFile])
    if (streams) for await (const _ of (await model?.stream(asked(), { timeout })) ?? []);
    else await model?.invoke(asked(), { timeout })
  }
  it.each([false, true])('no round is begun after half of it; streamed: %s', async (streams) => {
    const patient = await slow(600)
    await ask(patient, 20_000, streams)
    expect(offered(patient)).toEqual([true, true])
    const hasty = await slow(600)
    await ask(hasty, 1_150, streams).catch(() => undefined)
    expect(hasty.requests.at(-1)?.prompt.at(-1)?.text).toContain('No more look-ups')
  })
})
