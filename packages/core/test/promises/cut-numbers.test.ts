import { createCompactor, type Message, memoryStorage, neutralCodec } from '@precis/core'
import { allText, history, user } from '@precis/testkit'
import { describe, expect, it } from 'vitest'
import { codingSession } from '../systems/setup.ts'

// A host that hands over the newest messages only, and a record made by code: its numbers are those of the whole conversation.

const limits = { contextWindow: 16_000, maxOutput: 500 }
const policy = { trigger: { soft: { fraction: 0.5 }, hard: { fraction: 0.9 }, target: { fraction: 0.2 } } }
const work = codingSession({ turns: 60, steps: 2, lines: 30 })

type Cut = (messages: readonly Message[]) => readonly Message[]
const newest: Cut = (messages) => messages.slice(-90)
const firstAndNewest: Cut = (messages) => [...messages.slice(0, 2), ...messages.slice(2).slice(-90)] // a system prompt stands before it

describe.each([false, true])('each call in another process: %s', (alone) => {
  it.each<[string, Cut]>([
    ['the newest messages', newest],
    ['the first message and the newest', firstAndNewest],
    ['all of them', (messages) => messages],
  ])('%s: what a record quotes stands under its number, and is looked up by it while it is there', async (_, cut) => {
    const storage = memoryStorage()
    const make = () => createCompactor({ codec: neutralCodec, limits, policy, storage })
    let compactor = make()
    for (let count = 48; count <= 282; count += 6) {
      if (alone) compactor = make()
      const sent = history(cut(work.slice(0, count)), user(`and now, at ${count}?`))
      const { messages, report } = await compactor.session('s').beforeModelCall(sent)
      const quoted = [...allText(messages).matchAll(/^\[(\d+)\] user: (Request \d+: .*)/gm)].map(([, number, text]) => [Number(number), text] as const)
      if (count > 100) expect(quoted.length).toBeGreaterThan(3)
      for (const [number, text] of quoted) expect(allText(work.slice(number, number + 1))).toContain(text)
      const inputs = quoted.map(([message]) => ({ message }))
      const { answers } = await compactor.lookUp('s', { history: sent, context: messages, inputs: inputs.slice(-1), round: 1, tokens: report.tokens })
      for (const answer of answers) expect(answer).toContain(quoted.at(-1)?.[1])
      if (count < 282 || sent.length > 200) continue
      const gone = await compactor.lookUp('s', { history: sent, context: messages, inputs: inputs.slice(0, 1), round: 1, tokens: report.tokens })
      expect(gone.answers[0]).toContain('not handed over any more')
    }
  })
})
