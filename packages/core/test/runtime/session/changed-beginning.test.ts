import { type Message, memoryStorage } from '@precis/core'
import { assistant, generateHistory, history, user } from '@precis/testkit'
import { describe, expect, it } from 'vitest'
import { make } from './setup.ts'

/** The history as it is sent with the request of a time. */
type Sent = (messages: readonly Message[], time: number) => readonly Message[]

/** The warnings of each compaction of a conversation that grows. */
async function warned(seed: number, sent: Sent, id?: string): Promise<readonly string[]> {
  const storage = memoryStorage()
  const found: string[] = []
  let messages: readonly Message[] = [user('The first request.'), ...generateHistory(seed, { turns: 25 })]
  for (let time = 0; time < 4; time++) {
    messages = history(messages, assistant(`Answer ${time}.`), user(`Question ${time}?`))
    const shown = sent(messages, time)
    const compactor = make({ storage })
    const { report } = await (id === undefined ? compactor.conversation(shown) : compactor.session(id)).beforeModelCall(shown)
    found.push(report.warnings.filter((warning) => warning.includes('is another one each time')).join())
  }
  return found
}

const clock: Sent = (messages, time) => [user(`It is ${time} o’clock.`), ...messages.slice(1)]
const plans: Sent = (messages, time) => [user(['Paint the house.', 'Mow every lawn!', 'Cook soup, now', 'Sell 12 cars'][time] ?? ''), ...messages.slice(1)]
const memory: Sent = (messages, time) => [user('<memory>'), user(`Memory as of ${time}.`), ...messages]

describe('a history that begins in other words each time', () => {
  it.each<[string, Sent, string | undefined, number]>([
    ['a named one with another plan', plans, 'plan', 0],
    ['an unnamed one with another plan', plans, undefined, 0],
    ['a named one with a memory in front', memory, 'memory', 1],
  ])('%s: its third summary says which message it is', async (name, sent, id, place) => {
    const warnings = await warned(100 + name.length, sent, id)
    expect(warnings.slice(0, 2)).toEqual(['', ''])
    for (const warning of warnings.slice(2)) expect(warning).toContain(`message ${place} of the history is another one each time`)
  })
  it.each<[string, Sent]>([
    ['that stays', (messages) => messages],
    ['with a clock in its first message, which is gone on with', clock],
    ['with a clock at its end', (messages, time) => [...messages, user(`It is ${time} o’clock.`)]],
    ['that was edited once', (messages, time) => (time < 2 ? messages : clock(messages, 9))],
  ])('nothing is said of one %s', async (name, sent) => {
    expect((await warned(200 + name.length, sent, 'same')).join('')).toBe('')
  })
  it('nothing is said of conversations that go the same way for a while, such as runs of one workflow', async () => {
    const way = generateHistory(300, { turns: 6 })
    const found: string[] = []
    for (let run = 0; run < 6; run++) {
      const messages = history(user(`Customer ${run} asks.`), way, generateHistory(400 + run, { turns: 20 + run }))
      found.push(...(await make({ storage: memoryStorage() }).session(`run ${run}`).beforeModelCall(messages)).report.warnings)
    }
    expect(found.join('')).toBe('')
  })
})
