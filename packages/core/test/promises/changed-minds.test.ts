import { assistant, call, neutralCodec, result, user } from '@precis/testkit'
import { describe, expect, it } from 'vitest'
import { createCompactor, type Message } from '../../src/index.ts'

// What a user has changed since is not shown as they said it first, and not as they say it now.

const changes: readonly (readonly [string, string])[] = [
  ['My brother lives in Leeds.', 'My brother is moving again, to Dundee this time.'],
  ['The growth target for q3 is 6.5 percent.', 'finance has lowered the q3 target, 4 percent is what counts'],
  ['Le notaire nous attend le 8 juin.', 'Le notaire a reporté, ce sera le 15 juin.'],
  ['Der Umzug meiner Schwester ist am 3. März.', 'Meine Schwester hat den Umzug auf den 17. März verlegt.'],
  ['Orders above 900 crowns go to Halvard for a look.', 'Halvard has retired, orders above 900 go to Signe now.'],
  ['We drive to Ghent in the old Volvo of my uncle.', 'My uncle has sold the Volvo, so it is the train for us.'],
  ['El electricista viene el lunes por la mañana.', 'El electricista no puede, viene el jueves por la tarde.'],
  ['Leave shelf 204 out of the count, it is broken.', 'shelf 204 can be counted again, they have mended it'],
]
const questions = [
  'Where does my brother live?',
  'What is the growth target for q3?',
  'Quel jour le notaire nous attend-il ?',
  'Wann ist der Umzug meiner Schwester?',
  'Who looks at orders above 900 crowns?',
  'How do we drive to Ghent?',
  '¿Cuándo viene el electricista?',
  'Is shelf 204 broken?',
]
const linesOf = (at: number): string =>
  Array.from({ length: 60 }, (_, line) => `export const part${at * 61 + line} = load('${(at * 7919 + line * 104729) % 99991}', { tries: ${line % 9} })`).join(
    '\n',
  )
const work = (at: number): readonly Message[] => [
  user(`Go on with src/part-${at}.ts.`),
  call('read_file', `c${at}`, { path: `src/part-${at}.ts` }),
  result(`c${at}`, linesOf(at), { tool: 'read_file' }),
  assistant(`Nothing unusual in src/part-${at}.ts.`),
]
const textOf = (messages: readonly Message[]): string => messages.flatMap(({ parts }) => parts.map((part) => ('text' in part ? part.text : ''))).join('\n')

describe('what a user has changed since', () => {
  it.each([6_000, 9_000, 14_000])('stands with what they said first, wherever a context shows that: a window of %d', async (contextWindow) => {
    const session = createCompactor<Message>({ codec: neutralCodec, limits: { contextWindow, maxOutput: 400 } }).session('s')
    const history: Message[] = []
    let [compactions, shown, stale] = [0, 0, 0]
    for (let at = 0; at < 40; at++) {
      history.push(...work(at))
      for (const [place, [first, then]] of changes.entries()) {
        if (at === place) history.push(user(first), assistant('Noted.'))
        if (at === 9 + place) history.push(user(then), assistant('Noted.'))
      }
      const { messages, report } = await session.beforeModelCall([...history, user('Go on.')])
      if (report.outcome !== 'unchanged' && report.outcome !== 'projected') compactions++
      const text = textOf(messages)
      for (const [place, [first, then]] of changes.entries()) {
        if (at < 9 + place || !text.includes(first)) continue
        shown++
        if (!text.includes(then) || text.lastIndexOf(then) < text.lastIndexOf(first)) stale++
      }
    }
    expect(compactions).toBeGreaterThan(2)
    expect([shown > 0, stale]).toEqual([true, 0])
  })
  it.each([6_000, 9_000])('in a few words right behind it stands with it, whatever newer messages share a word: a window of %d', async (contextWindow) => {
    const session = createCompactor<Message>({ codec: neutralCodec, limits: { contextWindow, maxOutput: 400 } }).session('s')
    const first = 'The physiotherapist comes on Tuesdays and Thursdays, a patient man by the name of Adrian.'
    const then = 'sorry, Mondays and Thursdays'
    const newer = ['The surgeon keeps every patient waiting.', 'The parrot has got a name by now.', 'A patient in the next room has a parrot too.']
    const history: Message[] = [user('Help me to plan the weeks of my mother.'), assistant('Gladly.')]
    history.push(...work(0), user(first), assistant('Noted.'), user(then), assistant('Noted.'))
    let [shown, without] = [0, 0]
    for (let at = 1; at < 50; at++) {
      history.push(
        ...work(at),
        user(`Compare part ${at} with the other ${at} parts that we have read, and say where they differ in more than the names.`),
        assistant('They do not.'),
        ...(newer[at - 1] === undefined ? [] : [user(newer[at - 1] ?? ''), assistant('I see.')]),
      )
      const text = textOf((await session.beforeModelCall([...history, user('Go on.')])).messages)
      if (text.includes(first)) shown++
      if (text.includes(first) && !text.includes(then)) without++
    }
    expect([shown > 5, without]).toEqual([true, 0])
  })
  it.each([6_000, 9_000])('is read last by whoever asks for it, whatever comes back: a window of %d', async (contextWindow) => {
    const compactor = createCompactor<Message>({ codec: neutralCodec, limits: { contextWindow, maxOutput: 400 } })
    const session = compactor.session('s')
    const history: Message[] = []
    let [back, stale] = [0, 0]
    for (let at = 0; at < 34; at++) {
      history.push(...work(at))
      for (const [place, [first, then]] of changes.entries()) {
        if (at === place) history.push(user(first), assistant('Noted.'))
        if (at === 9 + place) history.push(user(then), assistant('Noted.'))
      }
      const { messages, report } = await session.beforeModelCall([...history, user('Go on.')])
      if (at < 20 || at % 3 > 0) continue
      for (const [place, question] of questions.entries()) {
        const [first, then] = changes[place] as readonly [string, string]
        const asked = { history: [...history, user(question)], context: messages, round: 0, tokens: report.tokens }
        for (const inputs of [[], [{ query: question }]]) {
          const { answers } = await compactor.lookUp('s', { ...asked, inputs })
          const text = [textOf(messages), ...answers].join('\n')
          if (answers.join('').includes(first)) back++
          if (text.includes(first) && text.lastIndexOf(then) < text.lastIndexOf(first)) stale++
        }
      }
    }
    expect([back > 5, stale]).toEqual([true, 0])
  })
})
