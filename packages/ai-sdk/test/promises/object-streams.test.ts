import { type WrappableModel, withCompaction } from '@precis/ai-sdk'
import type { ModelReply } from '@precis/testkit'
import { afterEach, describe, expect, it } from 'vitest'
import { createRoundFilter } from '../../src/recall/round-filter.ts'
import { majors, providers, sdkOf, type Wire } from '../majors.ts'
import { history, limits, look, name, read, scripted, tools } from './recall-rules/setup.ts'

const { start, close } = providers()
afterEach(close)

const ways = majors.flatMap((major) => (['openai', 'openai-responses', 'anthropic'] as const).map((wire) => [major, wire] as const))

describe.each(ways)('words before a look-up are no part of an object, %s, %s', (major, wire: Wire) => {
  const run = async (replies: readonly (() => Partial<ModelReply>)[]) => {
    const provider = await start({ window: 200_000, model: scripted(...replies) })
    const { generateText, streamText, modelAt, stopWhen, jsonSchema, ...sdk } = await sdkOf(major)
    const { Output } = sdk as unknown as { readonly Output: { object(options: object): unknown } }
    const output = Output.object({ schema: jsonSchema({ type: 'object', properties: { port: { type: 'number' } }, required: ['port'] }) })
    const call = () => ({
      model: withCompaction(modelAt(wire, provider.url) as WrappableModel, { limits }),
      messages: [...history, { role: 'user', content: 'Which port?' }],
      tools: sdk.tools,
      stopWhen,
      maxRetries: 0,
      maxOutputTokens: 500,
      ...(major === 'AI SDK 5' ? { experimental_output: output } : { output }),
    })
    const whole = await generateText(call())
    const streamed = streamText(call())
    await streamed.consumeStream()
    const { steps } = streamed as unknown as { readonly steps: Promise<readonly { readonly text: string }[]> }
    const textsOf = (all: readonly object[]) => (all as readonly { readonly text: string }[]).map(({ text }) => text)
    return { texts: [textsOf(whole.steps), textsOf(await steps)], requests: provider.requests }
  }
  it('streamed as generated', async () => {
    const says = () => ({ text: 'Let me check.', calls: [look()] })
    const answers = () => ({ text: '{"port":8123}' })
    const { texts, requests } = await run([says, answers, says, answers])
    expect(texts).toEqual([['{"port":8123}'], ['{"port":8123}']])
    expect(requests.map(({ declared, violations }) => [declared.tools.includes(name), violations])).toEqual(Array.from({ length: 4 }, () => [true, []]))
  })
  it('an object beside a look-up is the answer: no stream ends with two', async () => {
    const says = () => ({ text: '{"port":1}', calls: [look()] })
    const answers = () => ({ text: '{"port":8123}' })
    const { texts } = await run([says, answers, says, answers])
    // What a stream has shown cannot be taken back. The client of Anthropic holds such an object back by itself.
    expect(texts).toEqual([['{"port":8123}'], [wire === 'anthropic' ? '{"port":8123}' : '{"port":1}']])
  })
  it('beside a call of the agent they are its step’s', async () => {
    const says = () => ({ text: 'Let me check.', calls: [look(), read()] })
    const answers = () => ({ text: '{"port":8123}' })
    const { texts } = await run([says, answers, says, answers])
    // The client of Anthropic leaves words out by itself.
    const expected = [wire === 'anthropic' ? '' : 'Let me check.', '{"port":8123}']
    expect(texts).toEqual([expected, expected])
  })
})

describe('a round of which JSON is wanted', () => {
  const text = (id: string, ...deltas: readonly string[]) => [
    { type: 'text-start', id },
    ...deltas.map((delta) => ({ type: 'text-delta', id, delta })),
    { type: 'text-end', id },
  ]
  const thought = { openai: { itemId: 'rs_1' } }
  const thinks = [
    { type: 'reasoning-start', id: 'r', providerMetadata: thought },
    { type: 'reasoning-end', id: 'r', providerMetadata: thought },
  ]
  const looked = { type: 'tool-call', toolCallId: 'l', toolName: name, input: '{}' }
  const called = { type: 'tool-call', toolCallId: 'c', toolName: 'read_file', input: '{}' }
  const passed = (parts: readonly { readonly type: string }[], next: 'again' | 'return') => {
    const filter = createRoundFilter({ intercepts: true, waits: true })
    return [parts.map((part) => filter.take(part)), filter.rest(next)] as const
  }
  it('tells an object as it comes, and all else in its order once it is known what the round does', () => {
    const object = text('t', ' ', '{"port"', ':8123}')
    const [taken, left] = passed(object, 'return')
    expect(taken.map((parts) => parts.length)).toEqual([0, 0, 3, 1, 0])
    expect([...taken.flat(), ...left]).toEqual(object)
    const words = [...thinks, ...text('t', 'Let me', ' check.'), called]
    expect(passed(words, 'return').flat(2)).toEqual(words)
    expect(passed(words.slice(0, -1), 'return').flat(2)).toEqual(words.slice(0, -1))
  })
  it('leaves words out of a round that only looks up, and no item without what came behind it', () => {
    expect(passed([...thinks, ...text('t', 'Let me check.'), looked], 'again').flat(2)).toEqual([thinks[0], { ...thinks[1], providerMetadata: {} }])
    const searched = { type: 'tool-call', toolCallId: 'w', toolName: 'web_search', providerExecuted: true, input: '{}' }
    expect(passed([...thinks, ...text('t', 'Let me check.'), searched, looked], 'again').flat(2)).toEqual([...thinks, searched])
  })
})

describe.each(majors)('raw chunks, %s', (major) => {
  it.each(['openai', 'openai-responses', 'anthropic'] as const)('of a look-up are withheld, of all else passed on: %s', async (wire) => {
    const provider = await start({
      window: 200_000,
      model: scripted(
        () => ({ text: 'Let me check.', calls: [look()] }),
        () => ({ text: 'Done.', calls: [look(), read()] }),
        () => ({ text: 'Goodbye.' }),
      ),
    })
    const { streamText, modelAt, stopWhen } = await sdkOf(major)
    const seen: string[] = []
    const { text } = streamText({
      model: withCompaction(modelAt(wire, provider.url) as WrappableModel, { limits }),
      messages: [...history, { role: 'user', content: 'Which port?' }],
      tools,
      stopWhen,
      maxRetries: 0,
      maxOutputTokens: 500,
      includeRawChunks: true,
      onChunk: ({ chunk }: { readonly chunk: object }) => void seen.push(JSON.stringify(chunk)),
    })
    expect(await text).toBe('Goodbye.')
    expect(seen.filter((chunk) => chunk.includes(name) || chunk.includes('vault of'))).toEqual([])
    const raws = seen.filter((chunk) => chunk.startsWith('{"type":"raw"'))
    for (const word of ['Let me', 'Done.', 'read_file', 'Goodbye.']) expect(raws.some((chunk) => chunk.includes(word))).toBe(true)
  })
})
