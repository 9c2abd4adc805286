import { createCompactor, type Message, memoryStorage, neutralCodec } from '@precis/core'
import { describe, expect, it } from 'vitest'
import { redactedReading } from '../../src/privacy/redact-message.ts'

const message = (...texts: readonly string[]): Message => ({ role: 'user', parts: texts.map((text) => ({ type: 'text', text })) })

function watched() {
  const shown: string[] = []
  const reading = redactedReading((text) => {
    shown.push(text)
    return text.replace('hunter2', '[password]')
  })
  return { shown, reading }
}

describe('messages as they may leave the process', () => {
  it.each([
    ['parts first', true],
    ['the message first', false],
  ])('are read once each, %s', (_name, partsFirst) => {
    const { shown, reading } = watched()
    const [clean, secret] = [message('a', 'b'), message('c', 'it is hunter2')]
    const readParts = (): readonly unknown[] => [clean, secret].flatMap((of) => of.parts.map((part) => reading.part(part, of)))
    const early = partsFirst ? readParts() : undefined
    expect(reading.message(clean)).toBe(clean)
    const read = reading.message(secret)
    expect(read).toEqual(message('c', 'it is [password]'))
    expect(reading.message(secret)).toBe(read)
    expect(readParts()).toEqual([...clean.parts, ...read.parts])
    // The same objects: what was found in them is remembered with them.
    expect(readParts().every((part, at) => part === [...clean.parts, ...read.parts][at])).toBe(true)
    if (early !== undefined) expect(early.every((part, at) => part === readParts()[at])).toBe(true)
    // Each of the four, and at the border in each message what lies across.
    expect(shown).toHaveLength(4 + 2 * 3)
  })
  it.each([
    ['parts first', true],
    ['the message first', false],
  ])('hide a secret that lies across two texts, %s', (_name, partsFirst) => {
    const { reading } = watched()
    const split = message('it is hun', 'ter2, I think', ' so')
    if (partsFirst) expect(split.parts.map((part) => reading.part(part, split))).toEqual(message('it is [password], I think so', '', '').parts)
    expect(reading.message(split)).toEqual(message('it is [password], I think so', '', ''))
  })
  it('stand in no state and no prompt, wherever a stream was cut', async () => {
    const token = `ghp_${'a1B2'.repeat(9)}`
    const storage = memoryStorage()
    const prompts: string[] = []
    const compactor = createCompactor({
      codec: neutralCodec,
      storage,
      limits: { contextWindow: 8_000, maxOutput: 500 },
      summarizer: {
        name: 'watched',
        async summarize(request) {
          prompts.push(JSON.stringify(request))
          return { text: '', finish: 'stop' }
        },
      },
    })
    const split: Message = {
      role: 'assistant',
      parts: [
        { type: 'text', text: `The token is ${token.slice(0, 2)}` },
        { type: 'text', text: `${token.slice(2)}, use it.` },
      ],
    }
    const history = [message('Go.'), split, ...Array.from({ length: 40 }, (_, at) => message(`Turn ${at}: ${'words of a long turn '.repeat(40)}`))]
    const { messages } = await compactor.session('s').beforeModelCall(history)
    let stored = ''
    for await (const key of storage.list('')) stored += (await storage.get(key))?.body
    expect(messages.length).toBeLessThan(history.length)
    expect(stored).not.toBe('')
    expect(prompts).not.toEqual([])
    for (const text of [stored, JSON.stringify(messages), ...prompts]) expect(text).not.toContain(token.slice(2))
  })
  it('a part whose message is not known is read by itself', () => {
    const { shown, reading } = watched()
    const { parts } = message('hunter2')
    const [part] = parts
    if (part === undefined) throw new Error('no part')
    expect(reading.part(part, undefined)).toEqual({ type: 'text', text: '[password]' })
    expect(reading.part(part, undefined)).toBe(reading.part(part, undefined))
    expect(shown).toHaveLength(1)
  })
})
