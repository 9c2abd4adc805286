import { type CompactionReport, memoryStorage } from '@precis/core'
import { isStepCount, type ModelMessage, streamText } from 'ai'
import { afterEach, describe, expect, it } from 'vitest'
import { questionOf, vaults, vaultText } from '../../vaults.ts'
import { ask, asked, close, history, look, name, names, offered, read, refusals, scripted, start, thinking, tools, vault, wires, wrap } from './setup.ts'

afterEach(close)

describe.each(names)('recall over %s', (wire) => {
  it('another process for every turn: nothing of a hidden round is refused', async () => {
    const provider = await start()
    const chat = [...history]
    for (const one of vaults) {
      chat.push({ role: 'user', content: questionOf(one) })
      const result = await ask(wrap(wire, provider, { storage: memoryStorage() }), chat)
      expect(result.text).toContain(one.code)
      expect(result.steps).toHaveLength(1)
      chat.push(...result.responseMessages)
    }
    expect(refusals(provider)).toEqual([])
  })
  it.each(['generate', 'stream'] as const)('a conversation that goes on without us is as valid: %s', async (mode) => {
    const provider = await start({ window: 200_000 })
    const model = wrap(wire, provider)
    const options = { model, messages: asked(), tools, maxRetries: 0, providerOptions: thinking } as Parameters<typeof streamText>[0]
    const streamed = mode === 'stream' ? streamText(options) : undefined
    const said = streamed === undefined ? (await ask(model)).responseMessages : await streamed.responseMessages
    expect(provider.requests).toHaveLength(2)
    await ask(wires[wire](provider), [...asked(), ...said, { role: 'user', content: questionOf(vaults[1] ?? vault) }])
    expect(refusals(provider)).toEqual([])
  })
  it.each(['generate', 'stream'] as const)('words before a look-up stand where another process may send them: %s', async (mode) => {
    const replies = scripted(
      () => ({ text: 'Let me see. ', calls: [look()] }),
      () => ({ calls: [read()] }),
      () => ({ text: 'Done.' }),
    )
    const provider = await start({ model: replies })
    const options = { model: wrap(wire, provider), messages: asked(), tools, maxRetries: 0, maxOutputTokens: 500, providerOptions: thinking }
    const streamed =
      mode === 'stream' ? streamText(options as Parameters<typeof streamText>[0]) : await ask(options.model, asked(), { stopWhen: isStepCount(1) })
    const said = await streamed.responseMessages
    expect((await ask(wrap(wire, provider, { storage: memoryStorage() }), [...asked(), ...said])).text).toBe('Done.')
    expect(refusals(provider)).toEqual([])
    expect(JSON.stringify(provider.requests.at(-1)?.prompt)).toContain('Let me see.')
  })
  it('what was looked up stays where a conversation grows to be known by more of its messages', async () => {
    const [length, contextWindow] = [4, 3_000]
    const provider = await start({
      window: contextWindow,
      model: scripted(
        () => ({ calls: [look()] }),
        () => ({ text: 'There it is.' }),
        () => ({ text: 'Yes.' }),
      ),
    })
    const model = wrap(wire, provider, { limits: { contextWindow, maxOutput: 500 }, recall: 'asked' })
    const talk = Array.from({ length }, (_, at): ModelMessage => {
      const { path } = vaults[at >> 1] ?? vault
      return at % 2 === 0 ? { role: 'user', content: vaultText(path) } : { role: 'assistant', content: 'Noted.' }
    })
    const chat: ModelMessage[] = [...talk, { role: 'user', content: questionOf(vault) }]
    const { text, responseMessages } = await ask(model, chat, { providerOptions: {} })
    expect(text).toBe('There it is.')
    const looked = (): number => provider.requests.at(-1)?.prompt.filter(({ isResult }) => isResult).length ?? 0
    expect(looked()).toBe(1)
    for (const said of [responseMessages, [{ role: 'assistant' as const, content: 'Yes.' }]]) {
      chat.push(...said, { role: 'user', content: 'Thanks.' })
      await ask(model, chat, { providerOptions: {} })
      expect(looked()).toBe(1)
    }
    expect(refusals(provider)).toEqual([])
  })
  it('a look-up beside a call of the agent: that is returned, and ours is answered at its place', async () => {
    const provider = await start({
      model: scripted(
        () => ({ text: 'Both at once.', calls: [look(), read(), look({ message: 2 })] }),
        (prompt) => ({
          text: prompt.flatMap(({ text }) => /opens with code (\w+-\d+)/.exec(text.replaceAll('\\n', '\n'))?.[1] ?? []).includes(vault.code) ? 'found' : 'lost',
        }),
      ),
    })
    const result = await ask(wrap(wire, provider))
    expect(refusals(provider)).toEqual([])
    expect(result.text).toBe('found')
    expect(result.steps.map((step) => step.toolCalls.map(({ toolName }) => toolName))).toEqual([['read_file'], []])
    expect(JSON.stringify(result.responseMessages)).not.toContain(name)
    const last = provider.requests[1]?.prompt ?? []
    expect(last.filter(({ isResult }) => isResult).length - last.flatMap(({ callIds }) => callIds).length).toBe(0)
    expect(last.slice(-3).every(({ isResult }) => isResult)).toBe(true)
  })
  it.each(['generate', 'stream'] as const)('at most two rounds are answered; then it goes on without: %s', async (mode) => {
    const provider = await start({ model: scripted((_, declared) => (declared.tools.includes(name) ? { calls: [look()] } : { text: 'Then without.' })) })
    const model = wrap(wire, provider)
    const text =
      mode === 'generate'
        ? (await ask(model)).text
        : await streamText({ model, messages: asked(), tools, maxRetries: 0, providerOptions: thinking } as Parameters<typeof streamText>[0]).text
    expect(text).toBe('Then without.')
    expect(refusals(provider)).toEqual([])
    expect(offered(provider)).toEqual([true, true, true, false])
    expect(provider.requests[2]?.prompt.at(-1)?.text).toContain('This was the last look-up of this step')
    expect(provider.requests[3]?.prompt.at(-1)?.text).toContain('No more look-ups')
  })
  it.each(['generate', 'stream'] as const)('words of two rounds are two paragraphs, and the next request has each as it was said: %s', async (mode) => {
    const provider = await start({
      window: 200_000,
      model: scripted(
        () => ({ text: 'Let me see.', calls: [look()] }),
        () => ({ text: 'There it is.' }),
        () => ({ text: 'Goodbye.' }),
      ),
    })
    const model = wrap(wire, provider)
    const options = { model, messages: asked(), tools, maxRetries: 0, providerOptions: thinking } as Parameters<typeof streamText>[0]
    const result = mode === 'generate' ? await ask(model) : streamText(options)
    expect(await result.text).toBe('Let me see.\n\nThere it is.')
    const chat = [...asked(), ...(await result.responseMessages), { role: 'user' as const, content: 'Thanks.' }]
    expect((await ask(model, chat)).text).toBe('Goodbye.')
    const sent = provider.requests.at(-1)?.prompt.map(({ text }) => text) ?? []
    expect(sent.filter((text) => text.includes('There it is.'))).toEqual([expect.not.stringContaining('\n\n')])
    expect(sent.filter((text) => text.includes('Let me see.'))).toHaveLength(1)
    expect(refusals(provider)).toEqual([])
  })
  it('a model that is never satisfied ends its step with what it said', async () => {
    const provider = await start({ model: scripted(() => ({ text: 'Hm. ', calls: [look()] })) })
    const result = await ask(wrap(wire, provider))
    expect(provider.requests).toHaveLength(4)
    expect(result.steps).toHaveLength(1)
    expect([result.finishReason, result.toolCalls]).toEqual(['stop', []])
    expect(result.text).toBe('Hm. Hm. Hm. Hm. ')
  })
  it.each(['generate', 'stream'] as const)('a provider that refuses our tool is asked without it, and not again: %s', async (mode) => {
    const provider = await start({ refusesTools: (all) => (all.includes(name) ? 'tools: this name is not allowed here' : undefined) })
    const model = wrap(wire, provider)
    const run = async () =>
      mode === 'generate'
        ? (await ask(model)).text
        : streamText({ model, messages: asked(), tools, maxRetries: 0, providerOptions: thinking } as Parameters<typeof streamText>[0]).text
    expect([await run(), await run()]).toEqual(['I do not know.', 'I do not know.'])
    expect(offered(provider)).toEqual([true, false, false])
  })
  it.each(['messages.3.content.0.image: Could not process image', 'max_tokens: 500000 > 8192, the maximum for this model'])(
    'what is refused for another reason is not sent again without our tool: %s',
    async (reason) => {
      const provider = await start({ refusesTools: (all) => (all.includes(name) ? reason : undefined) })
      const model = wrap(wire, provider)
      for (let time = 0; time < 2; time++) await expect(ask(model)).rejects.toThrow(reason)
      expect(offered(provider)).toEqual([true, true])
    },
  )
  it.each(['generate', 'stream'] as const)(
    'a request after a look-up that is refused for its size is counted whole, and sent again smaller: %s',
    async (mode) => {
      const run = async (window: number) => {
        const replies = scripted(
          () => ({ text: 'Let me see. ', calls: [look()] }),
          () => ({ text: 'Found.' }),
        )
        const provider = await start({ window, model: replies })
        const reports: CompactionReport[] = []
        const model = wrap(wire, provider, { onReport: (report) => reports.push(report) })
        const options = { model, messages: asked(), tools, maxRetries: 0, maxOutputTokens: 500, providerOptions: thinking, stopWhen: isStepCount(8) }
        const { text } = mode === 'stream' ? streamText(options as Parameters<typeof streamText>[0]) : await ask(model)
        return { provider, text: await text, reports }
      }
      const { provider: roomy } = await run(200_000)
      const { provider, text, reports } = await run((roomy.requests[1]?.inputTokens ?? 0) + 500 - 20)
      expect([text, refusals(provider)]).toEqual(['Let me see. Found.', ['overflow']])
      expect(provider.requests.at(-1)?.prompt.at(-1)?.isResult).toBe(true)
      expect(reports.at(-1)?.tokens.before).toBeGreaterThanOrEqual(provider.requests[1]?.inputTokens ?? Infinity)
    },
  )
  it.each(['generate', 'stream'] as const)('what is looked up beside a question that nearly fills the window fits, or is left out: %s', async (mode) => {
    for (const window of [12_000, 11_400, 11_250]) {
      const replies = scripted(
        () => ({ calls: Array.from({ length: 8 }, () => look({ message: 2 })) }),
        (_, declared) => ({ text: declared.tools.includes(name) ? 'Done.' : 'Then without.' }),
      )
      const provider = await start({ window, model: replies })
      const messages: ModelMessage[] = [...history, { role: 'user', content: vaultText('src/other.ts').repeat(9) }]
      const options = { model: wrap(wire, provider), messages, tools, maxRetries: 0, maxOutputTokens: 500 }
      const result = mode === 'stream' ? streamText(options as Parameters<typeof streamText>[0]) : await ask(options.model, messages, { providerOptions: {} })
      const isLeftOut = window < 11_400 && wire !== 'chat'
      expect(isLeftOut ? ['Then without.'] : ['Done.', 'Then without.']).toContain(await result.text)
      expect(refusals(provider).length).toBeLessThanOrEqual(1)
    }
  })
  it('a round stays where it was asked for until the next compaction: the prompt’s beginning is kept', async () => {
    const provider = await start()
    const reports: CompactionReport[] = []
    const model = wrap(wire, provider, { onReport: (report) => reports.push(report) })
    const chat = [...history]
    for (const one of vaults) {
      chat.push({ role: 'user', content: questionOf(one) })
      chat.push(...(await ask(model, chat)).responseMessages)
    }
    expect(refusals(provider)).toEqual([])
    const prompts = provider.requests.map(({ prompt }) => prompt.map(({ role, text }) => `${role}: ${text}`))
    const broken = prompts.slice(1).filter((prompt, at) => prompts[at]?.some((entry, index) => entry !== prompt[index])).length
    const compactions = reports.filter(({ outcome }) => outcome === 'summarized' || outcome === 'pruned').length
    expect(broken).toBeLessThan(compactions)
    expect(prompts.length).toBeGreaterThan(vaults.length * 1.5)
  })
})

it('conversations that begin alike keep each its own look-ups', async () => {
  const asks = () => ({ calls: [look()] })
  const provider = await start({
    model: scripted(
      asks,
      () => ({ text: 'one' }),
      asks,
      () => ({ text: 'two' }),
      () => ({ text: 'You are welcome.' }),
    ),
  })
  const model = wrap('chat', provider)
  const another = [
    ...history.slice(0, 5),
    { role: 'user' as const, content: 'I am another.' },
    ...history.slice(5),
    { role: 'user' as const, content: questionOf(vault) },
  ]
  const chats = [asked(), another]
  const answers = [await ask(model, chats[0]), await ask(model, chats[1])]
  expect(answers.map(({ text }) => text)).toEqual(['one', 'two'])
  const before = provider.requests.length
  for (const [at, { responseMessages }] of answers.entries()) {
    await ask(model, [...(chats[at] ?? []), ...responseMessages, { role: 'user', content: 'Thank you.' }])
    expect(provider.requests.at(-1)?.prompt.flatMap(({ callIds }) => callIds.filter((id) => id.startsWith('look_')))).toHaveLength(1)
  }
  expect(provider.requests.length - before).toBe(2)
})
