import type { Message } from '@precis/core'
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
    expect(shown).toHaveLength(4)
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
