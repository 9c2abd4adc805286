import { contextBudgetExceeded, withCompaction } from '@precis/ai-sdk'
import { recallModel } from '@precis/testkit'
import { generateText, Output, streamText } from 'ai'
import { convertArrayToReadableStream, MockLanguageModelV3, MockLanguageModelV4 } from 'ai/test'
import { MockLanguageModelV2 } from 'ai-v5/test'
import { afterEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { vaultScenario } from '../../vaults.ts'
import { ask, asked, close, history, limits, look, name, offered, scripted, start, thinking, tools, wires, wrap } from './setup.ts'

afterEach(close)

describe('what the provider sees, and the framework', () => {
  it('an object is what the model says last', async () => {
    const provider = await start({
      model: scripted(
        () => ({ text: 'Let me see.', calls: [look()] }),
        () => ({ text: '{"code":"x"}' }),
      ),
    })
    const output = Output.object({ schema: z.object({ code: z.string() }) })
    expect((await ask(wrap('responses', provider), undefined, { output })).output).toEqual({ code: 'x' })
  })
  it.each<readonly [string, object]>([
    ['a part of nothing', { role: 'assistant', content: [null] }],
    ['marks that are none', { role: 'assistant', content: [{ type: 'text', text: 'x', providerOptions: { precis: { round: 'one' } } }] }],
    ['options of nothing', { role: 'assistant', content: [{ type: 'text', text: 'x', providerOptions: null }] }],
  ])('a prompt with %s is the provider’s to judge', async (_, message) => {
    const seen: unknown[] = []
    const inner = new MockLanguageModelV4({
      doGenerate: async ({ prompt }) => {
        seen.push(prompt)
        return { content: [], finishReason: { unified: 'stop', raw: 'stop' }, usage: {}, warnings: [] } as never
      },
    })
    const prompt = [{ role: 'user', content: [{ type: 'text', text: 'hi' }] }, message] as never
    await withCompaction(inner, { limits }).doGenerate({ prompt, providerOptions: { precis: null } as never })
    expect(seen).toEqual([prompt])
  })
  it('a session named by a call is taken out of its options', async () => {
    const provider = await start({ model: () => ({ text: 'ok', calls: [] }) })
    const seen: unknown[] = []
    const inner = wires.chat(provider)
    const spy = new MockLanguageModelV4({
      doGenerate: async (options) => {
        seen.push(options.providerOptions)
        return (await inner.doGenerate(options as never)) as never
      },
    })
    await generateText({ model: withCompaction(spy, { limits }), prompt: 'hi', providerOptions: { precis: { session: 'a' }, other: { x: 1 } } })
    expect(seen).toEqual([{ other: { x: 1 } }])
  })
  it('the newest prompt, not the bill, says when a run grew too large', async () => {
    const provider = await start()
    const { steps } = await ask(wrap('chat', provider))
    const inputs = provider.requests.map(({ inputTokens }) => inputTokens)
    expect(inputs).toHaveLength(2)
    expect(steps[0]?.usage.inputTokens).toBe((inputs[0] ?? 0) + (inputs[1] ?? 0))
    expect(contextBudgetExceeded(inputs[1] ?? 0)({ steps })).toBe(false)
    expect(contextBudgetExceeded((inputs[1] ?? 0) - 1)({ steps })).toBe(true)
  })
  it('a stream flows: words before a look-up pass at once, and no id is used twice', async () => {
    const provider = await start({
      model: scripted(
        () => ({ text: 'Let me see. ', calls: [look()] }),
        () => ({ text: 'There it is.' }),
      ),
    })
    const parts: { type: string; id?: string }[] = []
    const result = streamText({ model: wrap('anthropic', provider), messages: asked(), tools, maxRetries: 0, providerOptions: thinking } as Parameters<
      typeof streamText
    >[0])
    for await (const part of result.stream) parts.push(part as { type: string; id?: string })
    const kinds = parts.map(({ type }) => type)
    expect(kinds.filter((type) => type.startsWith('tool'))).toEqual([])
    expect(kinds.filter((type) => type === 'finish-step' || type === 'finish')).toHaveLength(2)
    const begun = parts.filter(({ type }) => type === 'text-start' || type === 'reasoning-start').map(({ type, id }) => `${type} ${id}`)
    expect(new Set(begun).size).toBe(begun.length)
    expect(begun).toHaveLength(4)
    expect(await result.text).toBe('Let me see. There it is.')
  })
  it.each(['generate', 'stream'] as const)('an error in a later round is the provider’s own: %s', async (mode) => {
    const provider = await start({ hiccups: { 1: 401 } })
    const model = wrap('chat', provider)
    if (mode === 'generate') return expect(ask(model)).rejects.toMatchObject({ statusCode: 401 })
    const errors: unknown[] = []
    const result = streamText({ model, messages: asked(), tools, maxRetries: 0, onError: ({ error }) => void errors.push(error) } as Parameters<
      typeof streamText
    >[0])
    await result.consumeStream()
    expect(errors).toMatchObject([{ statusCode: 401 }])
  })
  it('no round is begun after half of a deadline that the call states', async () => {
    const slow = recallModel(vaultScenario, { looksUp: name })
    const provider = await start({
      model: (prompt, declared) => {
        const until = performance.now() + 60
        while (performance.now() < until);
        return slow(prompt, declared)
      },
    })
    await ask(wrap('chat', provider), undefined, { providerOptions: { precis: { deadline: 100 } } })
    expect(offered(provider)).toEqual([true, false])
    expect(provider.requests[1]?.prompt.at(-1)?.text).toContain('No more look-ups')
  })
  it.each([
    ['v2', MockLanguageModelV2],
    ['v3', MockLanguageModelV3],
    ['v4', MockLanguageModelV4],
  ])('a model of %s stays one', (version, Mock) => {
    const inner = new Mock({ provider: 'p', modelId: 'm', supportedUrls: { 'image/*': [/^https:/] } })
    const model = withCompaction(inner)
    expect([model.specificationVersion, model.provider, model.modelId]).toEqual([version, 'p', 'm'])
    expect(model.supportedUrls).toEqual(inner.supportedUrls)
  })
  it('keep-alives and parts of later versions pass in every round', async () => {
    let calls = 0
    const finish = { type: 'finish', finishReason: { unified: 'stop', raw: 'stop' }, usage: { inputTokens: { total: 9 }, outputTokens: { total: 1 } } }
    const inner = new MockLanguageModelV4({
      doStream: async () => {
        const said = [
          { type: 'text-start', id: '1' },
          { type: 'text-delta', id: '1', delta: 'done' },
          { type: 'text-end', id: '1' },
        ]
        const looked = [{ type: 'tool-call', toolCallId: 'l', toolName: name, input: '{"query":"vault"}' }]
        const parts = [{ type: 'stream-start', warnings: [] }, { type: 'ping' }, ...(++calls === 1 ? looked : said), { type: 'queue-position', at: 1 }, finish]
        return { stream: convertArrayToReadableStream(parts as never[]) }
      },
    })
    const { stream } = await withCompaction(inner, { limits }).doStream({
      prompt: history.map((message) =>
        typeof message.content === 'string' ? { ...message, content: [{ type: 'text', text: message.content }] } : message,
      ) as never,
      tools: [{ type: 'function', name: 'read_file', inputSchema: {} }],
    })
    const seen: string[] = []
    for await (const part of stream as unknown as AsyncIterable<{ type: string }>) seen.push(part.type)
    expect(seen).toEqual(['stream-start', 'ping', 'queue-position', 'ping', 'text-start', 'text-delta', 'text-end', 'queue-position', 'finish'])
  })
  it('a name is the SDK’s own provider’s, or refused with the line to write', () => {
    expect(() => withCompaction('openai/gpt-5.2')).toThrow('withCompaction(gateway("openai/gpt-5.2"))')
    expect(() => withCompaction({} as never)).toThrow(/model is .*expected a model object/)
    expect(() => withCompaction(new MockLanguageModelV4(), { recall: 'yes' as never })).toThrow(/recall is "yes"; write "on", "asked", "tool" or "off"/)
  })
})
