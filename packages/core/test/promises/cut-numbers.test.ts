import { createCompactor, type Message, memoryStorage, neutralCodec } from '@precis/core'
import { allText, assistant, history, user } from '@precis/testkit'
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

const contexts = async (messages: readonly Message[], cut: Cut, from: number, step: number): Promise<readonly string[]> => {
  const session = createCompactor({ codec: neutralCodec, limits, policy, storage: memoryStorage() }).session('s')
  const shown: string[] = []
  for (let count = from; count <= messages.length; count += step)
    shown.push(allText((await session.beforeModelCall(history(cut(messages.slice(0, count)), user(`now ${count}`)))).messages))
  return shown
}

it('all that a message quotes of an earlier summary is gone on with, under its number', async () => {
  const earlier = history(user('Build the invoice page.'), assistant('Decided: tabs.'), user('Never use floats for money, see ABC-12.'), assistant('Noted.'))
  const handed = await createCompactor({ codec: neutralCodec, limits, policy }).session('earlier').handoff(earlier)
  const shown = await contexts(history(work.slice(0, 11), user(handed), assistant('I go on from that.'), work.slice(11, 398)), firstAndNewest, 60, 6)
  for (const quoted of ['[11] user: Build the invoice page.', '[11] user: Never use floats for money, see ABC-12.'])
    expect(shown.slice(10).filter((text) => !text.includes(quoted))).toEqual([])
})

it('a request that was not quoted is no request in other words', async () => {
  const words = 'alpha beta gamma delta river stone window garden paper silver copper market bridge tower letter number signal engine'.split(' ')
  const word = (turn: number, at: number): string => `${words[(at * 7 + turn * 13 + ((at * at) % 11)) % words.length]}${at % 9 === 0 ? turn * 100 + at : ''}`
  const pasted = (turn: number): string => Array.from({ length: 300 }, (_, at) => word(turn, at)).join(' ')
  const talk = Array.from({ length: 110 }, (_, turn) => [
    user(`Please look at ${turn}: ${pasted(turn)}.`),
    assistant(`Decided in ${turn}: we use ${words[turn % words.length]}${turn} because start-up reads ${turn + 3} files.`),
  ])
  const session = createCompactor({ codec: neutralCodec, limits: { ...limits, contextWindow: 4_000 }, policy, storage: memoryStorage() }).session('s')
  const all = talk.flat()
  const early: string[] = []
  for (let count = 10; count < all.length; count += 2) {
    await session.beforeModelCall(history(all.slice(0, 1), all.slice(Math.max(1, count - 24), count), user(`now ${count}`)))
    const { gone, summary } = session.state().checkpoints.at(-1) ?? {}
    const unquoted = [...(summary?.record ?? '').matchAll(/^\[(\d+)\] user: …$/gm)].map(([, number]) => Number(number))
    early.push(...unquoted.filter((number) => gone !== undefined && number >= gone.after && number < gone.after + gone.count).map(String))
  }
  expect(early).toEqual([])
})
