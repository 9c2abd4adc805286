import { type Compactor, createCompactor, type Message, memoryStorage, neutralCodec, type Summarizer } from '@precis/core'
import { allText, assistant, fakeSummarizer, generateHistory, history, system, user } from '@precis/testkit'
import { describe, expect, it } from 'vitest'
import { codingSession } from '../systems/setup.ts'

// A host that hands over the newest messages only, as a route does that reads so many rows from its database.

const limits = { contextWindow: 16_000, maxOutput: 500 }
const policy = { trigger: { soft: { fraction: 0.5 }, hard: { fraction: 0.9 }, target: { fraction: 0.2 } } }
const work = codingSession({ turns: 60, steps: 2, lines: 30 })
const counts = Array.from({ length: 40 }, (_, at) => 6 * (at + 8))

type Cut = (messages: readonly Message[]) => readonly Message[]
const newest: Cut = (messages) => messages.slice(-90)
const firstAndNewest: Cut = (messages) => [...messages.slice(0, 2), ...messages.slice(2).slice(-90)] // a system prompt stands before it
const noted: Cut = (messages) => [user(`[${Math.max(0, messages.length - 90)} earlier messages were left out]`), ...messages.slice(-90)]

/** Runs a conversation, each call in a process of its own or all in one. */
async function run(cut: Cut, { alone = false, processes = 1, id = 's' as string | null, messages = work } = {}) {
  const storage = memoryStorage()
  const summarizer = fakeSummarizer()
  const make = () => createCompactor({ codec: neutralCodec, limits, policy, storage, summarizer })
  const all = Array.from({ length: processes }, make)
  const said: (readonly string[])[] = []
  let context: readonly Message[] = []
  for (const [turn, count] of counts.entries()) {
    const compactor = alone ? make() : (all[turn % processes] as Compactor<Message>)
    const sent = history(cut(messages.slice(0, count)), user(`and now, at ${count}?`))
    const { messages: shown, report } = await (id === null ? compactor.conversation(sent) : compactor.session(id)).beforeModelCall(sent)
    context = shown
    said.push(report.warnings)
  }
  return { paid: summarizer.requests.length, context, said }
}

describe('a history whose beginning is not handed over any more', () => {
  it.each<[string, Cut, object]>([
    ['the newest messages', newest, {}],
    ['each call in another process', newest, { alone: true }],
    ['two processes in turn', newest, { processes: 2 }],
    ['three', newest, { processes: 3 }],
    ['its first message and the newest', firstAndNewest, {}],
  ])('is gone on with: %s', async (_, cut, how) => {
    const whole = await run((messages) => messages, how)
    const { paid, context } = await run(cut, how)
    expect(whole.paid).toBeGreaterThan(2)
    expect(paid).toBeLessThanOrEqual(whole.paid + 1)
    expect(allText(context)).toContain('<context-summary version="4">')
  })
  it('says once that the first message is gone, where it is', async () => {
    const warned = async (cut: Cut): Promise<readonly string[]> =>
      (await run(cut)).said.flat().filter((one) => one.includes('hand it over before the newest ones'))
    expect(await warned(newest)).toHaveLength(1)
    expect(await warned(firstAndNewest)).toEqual([])
    expect(await warned((messages) => messages)).toEqual([])
  })
  it('says once that too little of what the summary covers is handed over', async () => {
    const warned = async (cut: Cut): Promise<readonly string[]> => {
      const session = createCompactor({ codec: neutralCodec, limits, policy, storage: memoryStorage() }).session('s')
      const talk = Array.from({ length: 60 }, (_, at) => [user(`Thanks, ${at}.`), assistant(`You are welcome, ${at}.`)]).flat()
      const all = history(work.slice(0, 130), talk)
      const said: string[] = []
      for (let count = 60; count < all.length; count += 6) said.push(...(await session.beforeModelCall(cut(all.slice(0, count)))).report.warnings)
      return said.filter((one) => one.includes('Hand over more of the newest ones'))
    }
    expect(await warned((messages) => messages.slice(-90))).toHaveLength(1)
    expect(await warned((messages) => messages)).toEqual([])
  })
  it('says nothing of that where one that stands closer to its end was edited', async () => {
    const session = createCompactor({ codec: neutralCodec, limits, policy, storage: memoryStorage() }).session('s')
    const said: string[] = []
    for (let count = 60; count <= 240; count += 6) {
      const edited = work.map((message, at) => (count > 200 && at === 170 ? user('[removed by the user]') : message))
      const { report } = await session.beforeModelCall(edited.slice(0, count).slice(count > 200 ? -60 : -90))
      said.push(...report.warnings)
    }
    expect(said.filter((one) => one.includes('Hand over more of the newest ones'))).toEqual([])
  })
  it('is gone on with where more instructions came to stand before it than messages were cut', async () => {
    const session = createCompactor({ codec: neutralCodec, limits, policy, storage: memoryStorage() }).session('s')
    const rules = Array.from({ length: 4 }, (_, at) => system(`Rule ${at}.`))
    await session.beforeModelCall(work.slice(1, 72))
    for (let count = 78; count <= 240; count += 6) {
      const { messages, report } = await session.beforeModelCall(history(rules, work.slice(2, count)))
      expect(report.warnings.join()).not.toContain('went out as it came')
      expect(allText(messages)).toContain('<context-summary')
    }
  })
  it('is shown, and handed over to the next conversation, with its summary by a process that has not seen it yet', async () => {
    const [storage, writer] = [memoryStorage(), fakeSummarizer()]
    const summarizer: Summarizer = {
      ...writer,
      async summarize(...given) {
        const { text, ...more } = await writer.summarize(...given)
        return { ...more, text: `${text}\nThe lighthouse is painted red.` }
      },
    }
    const make = () => createCompactor({ codec: neutralCodec, limits, policy, storage, summarizer }).session('s')
    expect(allText((await make().beforeModelCall(work.slice(0, 100))).messages)).toContain('lighthouse')
    const cut = work.slice(30, 106)
    expect(allText(await make().view(cut))).toContain('lighthouse')
    await make().handoff(cut)
    expect(JSON.stringify(writer.requests.at(-1))).toContain('lighthouse')
  })
  it.each([false, true])('says no more what was edited, once that is out of sight: each call in another process %s', async (alone) => {
    const [storage, summarizer] = [memoryStorage(), fakeSummarizer()]
    const make = () => createCompactor({ codec: neutralCodec, limits, policy, storage, summarizer }).session('s')
    let session = make()
    const shows = async (messages: readonly Message[]): Promise<boolean> => {
      if (alone) session = make()
      return allText((await session.beforeModelCall(messages)).messages).includes('<context-summary')
    }
    const edited = work.map((message, at) => (at === 26 ? user('[removed by the user]') : message))
    expect(await shows(work.slice(0, 110))).toBe(true)
    expect(await shows(work.slice(20, 112))).toBe(true)
    for (const from of [22, 26, 27, 30, 40]) expect(await shows(edited.slice(from, from + 60))).toBe(false)
  })
  it('is not taken for another one under the same name that is alike for a while', async () => {
    const polls = Array.from({ length: 12 }, () => [user('status'), assistant('still running')]).flat()
    const greetings = [user('Good morning'), assistant('Good morning!'), user('How is it going?'), assistant('All is well.')]
    for (const alike of [polls, greetings]) {
      const session = createCompactor({ codec: neutralCodec, limits, policy, storage: memoryStorage(), summarizer: fakeSummarizer() }).session('deployer')
      await session.beforeModelCall(history(user('Deploy ALPHA.'), work.slice(0, 80), alike, work.slice(80, 110)))
      for (const next of [history(user('Deploy BETA.'), alike), alike, history(alike, user('Deploy BETA.'))])
        expect((await session.beforeModelCall(next)).report.outcome).toBe('unchanged')
    }
  })
  it('is gone on with where an earlier conversation of the same name was deleted', async () => {
    const summarizer = fakeSummarizer()
    const compactor = createCompactor({ codec: neutralCodec, limits, policy, storage: memoryStorage(), summarizer })
    await compactor.session('s').beforeModelCall(history(user('An earlier one.'), generateHistory(7, { turns: 60 })))
    await compactor.forget('s')
    const before = summarizer.requests.length
    for (const count of counts) await compactor.session('s').beforeModelCall(history(newest(work.slice(0, count)), user(`and now, at ${count}?`)))
    expect(summarizer.requests.length - before).toBeLessThanOrEqual(5)
  })
  it('serves a smaller and a larger model in turn as the whole history does', async () => {
    const paid = async (cut: Cut): Promise<number> => {
      const summarizer = fakeSummarizer()
      const windows: Record<string, number> = { small: 8_000, large: 40_000 }
      const session = createCompactor({
        codec: neutralCodec,
        limits: (model) => ({ contextWindow: windows[model] ?? 40_000, maxOutput: 500 }),
        policy,
        storage: memoryStorage(),
        summarizer,
      }).session('s')
      for (const [turn, count] of counts.entries())
        await session.beforeModelCall(history(cut(work.slice(0, count + 120)), user(`${turn}?`)), { model: turn % 2 === 0 ? 'large' : 'small' })
      return summarizer.requests.length
    }
    expect(await paid((messages) => messages.slice(-200))).toBeLessThanOrEqual((await paid((messages) => messages)) + 3)
  })
})

describe('without a name', () => {
  it('and with a note in the place of what was left out it is the same', async () => {
    const { paid, said } = await run(noted, { id: 'noted' })
    expect(paid).toBeLessThanOrEqual(4)
    expect(said.at(-1)?.join()).toContain('put no note in the place of what is left out')
  })
  it('no model is asked any more once that was in vain twice, and it is said why', async () => {
    const { paid, said } = await run(newest, { id: null })
    const named = await run(newest)
    expect(paid).toBeLessThanOrEqual(named.paid + 6)
    expect(said.at(-1)?.join()).toContain('name the conversation (session)')
    expect(named.said.flat().join()).not.toContain('name the conversation')
  })
  it.each([null, 'recalled'])('and with other old messages recalled in front each time no model is asked for long, and it is said: named %s', async (id) => {
    let call = 0
    const recalling: Cut = (messages) => {
      const at = 6 * ((call++ * 5) % 7)
      return messages.length > 150 ? [...messages.slice(at, at + 12), ...messages.slice(-70)] : messages.slice(-90)
    }
    const { paid, said } = await run(recalling, { id, messages: generateHistory(11, { turns: 120 }) })
    expect(paid).toBeLessThanOrEqual(12)
    expect(said.at(-1)?.join()).toContain('or others before them each time')
  })
  it('a model writes for each run of a workflow, however much is said before its steps', async () => {
    const summarizer = fakeSummarizer()
    const compactor = createCompactor({ codec: neutralCodec, limits, policy, summarizer })
    const intros = [6, 4, 2, 6, 4, 2, 8, 6, 4, 8]
    for (const [run, length] of intros.entries()) {
      const intro = Array.from({ length }, (_, at) => (at % 2 === 0 ? user(`Run ${run}, part ${at}.`) : assistant(`Part ${at} of run ${run} is clear.`)))
      const sent = history(intro, work.slice(1, 110), user('and now?'))
      const { report } = await compactor.conversation(sent).beforeModelCall(sent)
      expect(report.outcome).toBe('summarized')
    }
    expect(summarizer.requests.length).toBeGreaterThanOrEqual(intros.length)
  })
  it('and for each that differs in its first message alone', async () => {
    const summarizer = fakeSummarizer()
    const compactor = createCompactor({ codec: neutralCodec, limits, policy, summarizer })
    for (const name of ['Vienna', 'the harbor of Oslo', 'blue bicycles', 'a report on snow', 'seven old clocks', 'wool']) {
      const sent = history(user(`Tell me all about ${name}, ${name.length} lines.`), work.slice(1, 110), user('and now?'))
      expect((await compactor.conversation(sent).beforeModelCall(sent)).report.outcome).not.toBe('degraded')
    }
  })
  it('ten conversations that go the same way for a while are ten', async () => {
    const summarizer = fakeSummarizer()
    const compactor = createCompactor({ codec: neutralCodec, limits, policy, summarizer })
    for (let customer = 0; customer < 10; customer++) {
      const sent = history(
        user(`I am customer ${customer}.`),
        work.slice(0, 60),
        assistant(`Done, ${customer}.`),
        generateHistory(400 + customer, { turns: 20 }),
      )
      const before = summarizer.requests.length
      const { report, messages } = await compactor.conversation(sent).beforeModelCall(sent)
      expect(report.warnings.join()).not.toContain('name the conversation')
      expect(summarizer.requests.length).toBeGreaterThan(before)
      expect(allText(messages)).not.toContain(`I am customer ${customer - 1}.`)
    }
  })
})
