import { fingerprint, type Message } from '@precis/core'
import { assistant, generateHistory, system, user } from '@precis/testkit'
import fc from 'fast-check'
import { afterEach, describe, expect, it } from 'vitest'
import { placeOf } from '../../src/history/fingerprint.ts'
import { computedSha256, digestWith } from '../../src/history/sha256.ts'

const history = generateHistory(5, { turns: 6, steps: 2, output: 400 })
const answers = [assistant('another answer'), user('a correction'), assistant('as you like'), system('It is 12:01.')]

/** Lists of one conversation, made of the same message objects: beginnings, forks, a system prompt that comes and goes, messages left out. */
const lists: fc.Arbitrary<readonly Message[]> = fc
  .record({
    length: fc.nat(history.length),
    fork: fc.array(fc.constantFrom(...answers), { maxLength: 4 }),
    prompt: fc.boolean(),
    without: fc.option(fc.nat(history.length)),
  })
  .map(({ length, fork, prompt, without }) => [
    ...(prompt ? [answers[3] as Message] : []),
    ...history.slice(0, length).filter((_, at) => at !== without),
    ...fork,
  ])

describe('fingerprints of histories that share their messages', () => {
  afterEach(() => digestWith(undefined))

  it('are those of histories read for the first time, in any order', () => {
    fc.assert(
      fc.property(fc.array(lists, { minLength: 1, maxLength: 8 }), fc.nat(40), (read, count) => {
        for (const list of read) {
          const anew = structuredClone(list)
          expect(fingerprint(list)).toBe(fingerprint(anew))
          const part = fingerprint(list, Math.min(count, list.length))
          expect(part).toBe(fingerprint(anew, Math.min(count, list.length)))
          expect(placeOf(list, part)).toBe(placeOf(anew, part))
        }
      }),
      { numRuns: 60 },
    )
  })

  it('read no text twice: forks in turn, beginnings, a prompt that comes and goes', () => {
    const messages = structuredClone(history)
    const fork = [...messages.slice(0, 9), ...answers]
    const turns = [messages, fork, messages.slice(0, 5), messages, [system('It is 12:02.'), ...messages], messages, fork]
    let texts = 0
    digestWith((data) => {
      if (typeof data === 'string') texts++
      return computedSha256(data)
    })
    fingerprint(messages)
    fingerprint(fork)
    const once = texts
    expect(once).toBeGreaterThan(messages.length)
    for (const list of turns) fingerprint(list)
    expect(texts).toBe(once)
  })
})
