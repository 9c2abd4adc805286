import { assistant, call, neutralCodec, result, user } from '@precis/testkit'
import { describe, expect, it } from 'vitest'
import { createCompactor, type Message, memoryStorage } from '../../src/index.ts'

// "Pin the message that says it" is what a user does after a rule got lost: by then it is in a summary.

const filler = (seed: number): string => Array.from({ length: 150 }, (_, at) => `word${(at * seed) % 89}`).join(' ')
const rule = `RULE: never touch Quillfeather. ${'It is sacred to us all. '.repeat(40)}`
const said: readonly Message[] = [
  user(`Chapter 0: ${filler(3)}`),
  assistant(`Noted. ${filler(5)}`),
  call('read_file', 'c1', { path: 'rules.md' }),
  result('c1', rule, { tool: 'read_file' }),
  assistant(`${rule} So it says.`),
  ...Array.from({ length: 30 }, (_, at) => (at % 2 ? assistant : user)(`Chapter ${at + 1}: ${filler(at + 7)}`)),
]
const pinned = (at: number, history: readonly Message[]): readonly Message[] =>
  history.map((message, place) => (place === at ? { ...message, protected: true } : message))
const stands = (messages: readonly Message[], text: string): boolean => JSON.stringify(messages.map(({ parts }) => parts)).includes(text)
const newCompactor = (storage = memoryStorage()) => createCompactor<Message>({ codec: neutralCodec, limits: { contextWindow: 8_000, maxOutput: 500 }, storage })

describe.each([
  ['an answer', 4, `${rule} So it says.`],
  ['an output, with its call', 3, `"output":"${rule}"`],
  ['a call, with its output', 2, `"output":"${rule}"`],
])('%s that is pinned after it was summarized', (_, at, text) => {
  it.each(['in the same process', 'after a restart'])('is shown from then on, and by the next compactions, %s', async (where) => {
    const storage = memoryStorage()
    const compactor = newCompactor(storage)
    const first = await compactor.session('s').beforeModelCall(said)
    expect(first.report.outcome).toBe('summarized')
    expect(stands(first.messages, text)).toBe(false)
    let history = [...said, assistant('ok'), user('Go on.')]
    const session = (where === 'after a restart' ? newCompactor(storage) : compactor).session('s')
    const second = await session.beforeModelCall(pinned(at, history))
    expect(second.report.outcome).toBe('projected')
    expect(stands(second.messages, text)).toBe(true)
    // What was sent stays what is sent, object by object: the provider's cache goes by it.
    const again = await session.beforeModelCall(pinned(at, [...history, assistant('ok'), user('Go on.')]))
    expect(again.messages.slice(0, second.messages.length).every((message, place) => JSON.stringify(message) === JSON.stringify(second.messages[place]))).toBe(
      true,
    )
    let compactions = 0
    for (let turn = 0; turn < 24; turn++) {
      history = [...history, assistant(`Done ${turn}: ${filler(turn + 11)}`), user(`More ${turn}: ${filler(turn + 41)}`)]
      const { messages, report } = await session.beforeModelCall(pinned(at, history))
      if (report.outcome === 'summarized') compactions++
      expect(stands(messages, text)).toBe(true)
      expect(report.tokens.after).toBeLessThanOrEqual(report.tokens.budget as number)
      const calls = messages.flatMap(({ parts }) => parts.flatMap((part) => (part.type === 'tool-call' ? [part.callId] : [])))
      const results = messages.flatMap(({ parts }) => parts.flatMap((part) => (part.type === 'tool-result' ? [part.callId] : [])))
      expect(calls).toEqual(results)
    }
    expect(compactions).toBeGreaterThan(1)
  })
})

it('a conversation that begins alike and shares the summary keeps its own pin', async () => {
  const compactor = newCompactor()
  await compactor.conversation(said).beforeModelCall(said)
  const other = pinned(4, [...said, assistant('ok'), user('Another way.')])
  expect(stands((await compactor.conversation(other).beforeModelCall(other)).messages, `${rule} So it says.`)).toBe(true)
})
