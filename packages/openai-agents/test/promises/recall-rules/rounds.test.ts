import type { AgentInputItem } from '@openai/agents'
import type { CompactionReport } from '@precis/core'
import { afterEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { questionOf, vaults, vaultText } from '../../vaults.ts'
import { ask, close, finds, history, look, name, offered, open, providerFor, read, refusals, scripted, start, vault, wrap } from './setup.ts'

afterEach(close)

describe.each(['chat', 'responses'] as const)('recall over %s', (wire) => {
  describe.each([false, true])('streamed: %s', (stream) => {
    it('a conversation that goes on without us is as valid', async () => {
      const provider = await start({
        window: 200_000,
        model: scripted(
          () => ({ text: 'Let me see.', calls: [look()] }),
          () => ({ calls: [look()] }),
          () => ({ text: 'There it is.' }),
        ),
      })
      const { history: said, turns } = await ask(wrap(wire, provider), { stream })
      expect([provider.requests.length, turns]).toEqual([3, 1])
      const words = said.flatMap((item) => ('content' in item && item.type === 'message' ? [JSON.stringify(item.content)] : []))
      expect(words.slice(-2)).toEqual([expect.stringContaining('Let me see.'), expect.stringContaining('There it is.')])
      await ask(providerFor(wire, provider), { stream, input: [...said, { role: 'user', content: 'And now?' }] })
      expect(refusals(provider)).toEqual([])
    })
    it('a look-up beside a call of the agent: that is returned, and ours is answered at its place', async () => {
      const provider = await start({ model: scripted(() => ({ text: 'Both at once.', calls: [look(), read(), look({ message: 2 })] }), finds) })
      const { text, turns, history: said, events, result } = await ask(wrap(wire, provider), { stream })
      expect(refusals(provider)).toEqual([])
      expect([text, turns]).toEqual(['found', 2])
      expect(JSON.stringify([said, result.rawResponses]).includes(name)).toBe(false)
      expect(JSON.stringify(events.filter(({ data }) => data?.event !== undefined))).not.toContain(name)
      const newest = provider.requests[1]?.prompt ?? []
      expect(newest.filter(({ isResult }) => isResult).length).toBe(newest.flatMap(({ callIds }) => callIds).length)
      expect(newest.slice(-3).every(({ isResult }) => isResult)).toBe(true)
      expect(
        newest
          .flatMap(({ callIds }) => callIds)
          .slice(-3)
          .map((id) => id.split('_')[0]),
      ).toEqual(['look', 'read', 'look'])
      // Another process has nothing of it, and is as valid.
      await ask(wrap(wire, provider), { stream, input: [...said, { role: 'user', content: 'And now?' }] })
      await ask(providerFor(wire, await start({ window: 200_000 })), { stream, input: [...said, { role: 'user', content: 'And now?' }] })
      expect(open.flatMap(refusals)).toEqual([])
    })
    it('a request after a look-up that is refused for its size is counted whole, and sent again smaller', async () => {
      const run = async (window: number) => {
        const replies = scripted(
          () => ({ calls: [look()] }),
          () => ({ text: 'Found.' }),
        )
        const provider = await start({ window, model: replies })
        const reports: CompactionReport[] = []
        return { provider, reports, ...(await ask(wrap(wire, provider, { onReport: (report) => reports.push(report) }), { stream })) }
      }
      const { provider: roomy } = await run(200_000)
      const { provider, text, reports } = await run((roomy.requests[1]?.inputTokens ?? 0) + 500 - 20)
      expect([text, refusals(provider)]).toEqual(['Found.', ['overflow']])
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
      const { text } = await ask(wrap(wire, provider), { stream, input: [...history, { role: 'user', content }] })
      expect(['Done.', 'Then without.']).toContain(text)
      expect(refusals(provider).length).toBeLessThanOrEqual(1)
    })
    it('at most two rounds are answered; then it goes on without', async () => {
      const provider = await start({ model: scripted((_, declared) => (declared.tools.includes(name) ? { calls: [look()] } : { text: 'Then without.' })) })
      const { text, turns } = await ask(wrap(wire, provider), { stream })
      expect([text, turns]).toEqual(['Then without.', 1])
      expect(refusals(provider)).toEqual([])
      expect(offered(provider)).toEqual([true, true, true, false])
      expect(provider.requests[2]?.prompt.at(-1)?.text).toContain('This was the last look-up of this step')
      expect(provider.requests[3]?.prompt.at(-1)?.text).toContain('No more look-ups')
    })
    it.each(['Hm. ', ''])('a model that is never satisfied ends its step with what it said: "%s"', async (said) => {
      const provider = await start({ model: scripted(() => ({ text: said, calls: [look()] })) })
      const { text, turns } = await ask(wrap(wire, provider), { stream })
      expect(provider.requests).toHaveLength(4)
      // Which texts of a reply are its final output is the SDK's matter.
      expect([said, said.repeat(4)]).toContain(text)
      expect(turns).toBe(1)
    })
    it('a provider that refuses our tool is asked without it, and not again', async () => {
      const provider = await start({ refusesTools: (all) => (all.includes(name) ? 'tools: this name is not allowed here' : undefined) })
      const model = wrap(wire, provider)
      expect([(await ask(model, { stream })).text, (await ask(model, { stream })).text]).toEqual(['I do not know.', 'I do not know.'])
      expect(offered(provider)).toEqual([true, false, false])
    })
    it('what is refused for another reason is not sent again without our tool', async () => {
      const provider = await start({ refusesTools: (all) => (all.includes(name) ? 'Could not process image' : undefined) })
      await expect(ask(wrap(wire, provider), { stream })).rejects.toThrow('Could not process image')
      expect(offered(provider)).toEqual([true])
    })
    it('an object is what the model says last', async () => {
      const provider = await start({
        model: scripted(
          () => ({ text: 'Let me see.', calls: [look()] }),
          () => ({ text: '{"code":"x"}' }),
        ),
      })
      const model = wrap(wire, provider)
      const { text, history: said } = await ask(model, { stream, agent: { outputType: z.object({ code: z.string() }) } })
      expect(text).toEqual({ code: 'x' })
      await ask(model, { stream, input: [...said, { role: 'user', content: 'And now?' }] })
      expect(refusals(provider)).toEqual([])
    })
    it('an error in a later round is the provider’s own', async () => {
      const provider = await start({ hiccups: { 1: 401 } })
      await expect(ask(wrap(wire, provider), { stream })).rejects.toMatchObject({ status: 401 })
    })
  })
  it('a round stays where it was asked for until the next compaction: the prompt’s beginning is kept', async () => {
    const provider = await start()
    const reports: CompactionReport[] = []
    const model = wrap(wire, provider, { onReport: (report) => reports.push(report) })
    let chat = history
    for (const one of vaults) chat = (await ask(model, { input: [...chat, { role: 'user', content: questionOf(one) }] })).history
    expect(refusals(provider)).toEqual([])
    const prompts = provider.requests.map(({ prompt }) => prompt.map(({ role, text }) => `${role}: ${text}`))
    const broken = prompts.slice(1).filter((prompt, at) => prompts[at]?.some((entry, index) => entry !== prompt[index])).length
    const compactions = reports.filter(({ outcome }) => outcome === 'summarized' || outcome === 'pruned').length
    expect(broken).toBeLessThan(compactions)
    expect(prompts.length).toBeGreaterThan(vaults.length * 1.5)
  })
})

it('conversations that begin alike keep each its own look-ups', async () => {
  const provider = await start()
  const models = wrap('chat', provider)
  const other = (text: string): AgentInputItem[] => [...history.slice(0, 20), { role: 'user', content: text }, ...history.slice(20)]
  const first = await ask(models)
  const second = await ask(models, { input: [...other('I am another.'), { role: 'user', content: questionOf(vault) }] })
  expect([first.text, second.text]).toEqual([vault.code, vault.code])
  const looks = () => (provider.requests.at(-1)?.prompt ?? []).flatMap(({ callIds }) => callIds.filter((id) => id.startsWith('look_')))
  const before = provider.requests.length
  for (const { history: said } of [first, second]) {
    await ask(models, { input: [...said, { role: 'user', content: 'Thank you.' }] })
    expect(looks()).toHaveLength(1)
  }
  expect(provider.requests.length - before).toBe(2)
})
