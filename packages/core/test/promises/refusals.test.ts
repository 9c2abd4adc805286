import { type Clock, createCompactor, type Message, memoryStorage, neutralCodec, type PolicyOverrides, presets, type StorageDriver } from '@precis/core'
import { assistant, fakeClock, history, step, system, user } from '@precis/testkit'
import { describe, expect, it } from 'vitest'
import { codingSession, fileText, textsOf } from '../systems/setup.ts'

const prompt = (input: number) => ({ usage: { input, cacheRead: 0, cacheWrite: 0, output: 40 } })
const make = (contextWindow: number | undefined, policy: PolicyOverrides = {}) =>
  createCompactor<Message>({
    codec: neutralCodec,
    clock: fakeClock(),
    policy,
    ...(contextWindow !== undefined && { limits: { contextWindow, maxOutput: 1_000 } }),
  }).session('s')
const full = codingSession({ turns: 8, steps: 3, lines: 40 })

describe('a refusal', () => {
  it('goes before the last accepted measurement: a prompt that was thought to fit by 27 tokens is made smaller', async () => {
    const session = make(12_000, { trigger: { hard: { fraction: 1 } } })
    const { report } = await session.beforeModelCall(full)
    session.afterModelCall(prompt(report.tokens.after))
    // Filled up to just below the window, by the last measurement and an estimate of what came since.
    const more = [...full, assistant('x'), ...step('read', 'z', {}, fileText('z', 200))]
    let end = more
    for (let lines = 1; session.plan(end).decision.used < 10_973; lines += 1) end = [...more, user(fileText('pasted', lines))]
    const filled = await session.beforeModelCall(end)
    expect(filled.report.outcome).toBe('projected')
    const recovered = await session.recover(end, new Error('prompt is too long: 11043 tokens > 11000 maximum'))
    expect(recovered?.report.tokens.after).toBeLessThan(10_000)
    expect(session.state().anchor).toBeUndefined()
  })

  it('the sum of prompt and reply is no measurement of the prompt', async () => {
    const session = make(128_000)
    const { report } = await session.beforeModelCall(full)
    await session.recover(full, new Error("This model's maximum context length is 128000 tokens. However, you requested 129014 tokens"))
    expect(session.state().calibration.factor).toBe(1)
    const other = make(128_000)
    await other.beforeModelCall(full)
    const parts = "This model's maximum context length is 64000 tokens. However, you requested 80000 tokens (20000 in the messages, 60000 in the completion)."
    await other.recover(full, new Error(parts))
    expect(other.state().calibration.factor).toBeCloseTo(20_000 / report.tokens.after, 1)
  })

  it('without a number halves the prompt, each time', async () => {
    const session = make(undefined)
    const sizes = [(await session.beforeModelCall(full)).report.tokens.after]
    for (let attempt = 0; attempt < 3; attempt++) {
      const smaller = await session.recover(full, new Error('Your input exceeds the context window of this model'))
      sizes.push(smaller?.report.tokens.after ?? Infinity)
    }
    for (const [at, size] of sizes.slice(1).entries()) expect(size).toBeLessThanOrEqual((sizes[at] as number) / 2)
    expect(session.state().calibration.learnedWindow).toBeUndefined()
  })

  it('of a much larger prompt than was accepted: what it counts more is the texts’, not the tools’', async () => {
    const session = make(undefined)
    const small = [user('Read it.')]
    const { report } = await session.beforeModelCall(small)
    session.afterModelCall(prompt(report.tokens.after))
    const large = [...small, ...step('read', 'big', {}, fileText('big', 8_000))]
    const before = await session.beforeModelCall(large)
    const refused = Math.round(before.report.tokens.after * 1.4)
    const text = `maximum context length is 12000 tokens. However, your messages resulted in ${refused} tokens`
    const recovered = await session.recover(large, new Error(text))
    const { factor, overhead } = session.state().calibration
    expect(factor).toBeCloseTo(1.4, 1)
    expect(overhead).toBeLessThanOrEqual(report.tokens.after)
    expect(recovered?.report.tokens.after).toBeLessThan(12_000)
    expect(recovered?.report.tokens.after).toBeGreaterThan(4_000)
  })

  it('of a model whose limits nobody published ends no run: the reply gets less, and the provider has the last word', async () => {
    const session = make(undefined)
    const talk = [user('Hello.'), assistant('Hello.'), user('Go on.')]
    const call = (tools: number) => session.beforeModelCall(talk, { overhead: { tools } })
    await call(9_000)
    await session.recover(talk, new Error('maximum context length is 8000 tokens'), { overhead: { tools: 9_000 } }).catch(() => undefined)
    expect(session.state().calibration.learnedWindow).toBe(8_000)
    for (const tools of [6_800, 9_000]) expect((await call(tools)).messages).toEqual(talk)
  })

  it('tells what the provider’s client asks for by itself: from then on it is kept free', async () => {
    const session = make(20_000)
    await session.beforeModelCall(full, { model: 'm' })
    const error = 'input length and `max_tokens` exceed context limit: 12500 + 8000 > 20000, decrease input length or `max_tokens` and try again'
    const recovered = await session.recover(full, new Error(error), { model: 'm' })
    expect(recovered?.report.tokens.after).toBeLessThan(12_000)
    expect(session.plan(full, { model: 'm' }).decision.usable).toBe(12_000)
    expect(session.plan(full, { model: 'm', maxOutput: 500 }).decision.usable).toBe(19_500)
  })

  it('against the published window is believed when a second one says so, and meanwhile answered', async () => {
    const session = make(128_000)
    const refuse = () => session.recover(full, new Error('prompt is too long: 11000 tokens > 8192 maximum'))
    const { report } = await session.beforeModelCall(full)
    const first = await refuse()
    expect(first?.report.tokens.after).toBeLessThan(8_192)
    expect(session.state().calibration.learnedWindow).toBeUndefined()
    expect(session.plan(full).decision.usable).toBe(127_000)
    session.afterModelCall(prompt(first?.report.tokens.after ?? report.tokens.after))
    await session.beforeModelCall(full)
    await refuse()
    expect(session.state().calibration.learnedWindow).toBe(8_192)
  })

  it('teaches no window below what was accepted', async () => {
    const session = make(undefined)
    await session.beforeModelCall(full)
    session.afterModelCall(prompt(11_000))
    for (let request = 0; request < 2; request++) {
      await session.beforeModelCall(full)
      await session.recover(full, new Error('prompt is too long: 1235 tokens > 1050 maximum'))
    }
    expect(session.state().calibration.learnedWindow).toBeGreaterThanOrEqual(11_000)
  })
})

describe('a target that is out of reach', () => {
  /** An agent whose instructions take more than the target, for 42 steps: every output must have been seen whole once. */
  const agent = async (share: number, policy: PolicyOverrides = {}) => {
    const window = 16_000
    const session = createCompactor<Message>({ codec: neutralCodec, clock: fakeClock(), policy, limits: { contextWindow: window, maxOutput: 1_000 } }).session(
      's',
    )
    let source = history(system('Rule: keep the names. '.repeat(Math.floor((share * window) / 6))), user('Read all modules.'))
    const cut: number[] = []
    let compactions = 0
    for (let at = 0; at < 42; at++) {
      const output = fileText(`module${at}`, 30 + ((at * 7) % 50))
      source = [...source, ...step('read', `c${at}`, { path: `src/${at}.ts` }, output)]
      const { messages, report } = await session.beforeModelCall(source)
      if (report.outcome !== 'unchanged' && report.outcome !== 'projected') compactions++
      if (!textsOf(messages).includes(output)) cut.push(at)
      session.afterModelCall(prompt(report.tokens.after))
      source = [...source, assistant(`Module ${at} is read.`)]
    }
    return { compactions, cut }
  }
  it.each([
    [0.5, 14],
    [0.6, 16],
    [0.7, 18],
  ])('instructions of %d of the window: what was just read is whole, and not every second step compacts', async (share, most) => {
    const { compactions, cut } = await agent(share)
    expect(cut).toEqual([])
    expect(compactions).toBeLessThanOrEqual(most)
  })
  it.each([0.6, 0.7, 0.75])('tools of %d of a window: not every step compacts', async (share) => {
    const session = createCompactor<Message>({ codec: neutralCodec, clock: fakeClock(), limits: { contextWindow: 24_000 } }).session('s')
    const call = { overhead: { tools: Math.floor(share * 24_000) } }
    let source = history(user('Read all modules.'))
    let compactions = 0
    for (let at = 0; at < 40; at++) {
      source = [...source, ...step('read', `c${at}`, { path: `src/${at}.ts` }, fileText(`module${at}`, 40)), assistant(`Module ${at} is read.`)]
      const { report } = await session.beforeModelCall(source, call)
      if (report.outcome !== 'unchanged' && report.outcome !== 'projected') compactions++
      session.afterModelCall(prompt(report.tokens.after))
    }
    expect(compactions).toBeLessThanOrEqual(16)
  })
  it.each([0, 5])('what no reply followed yet stays whole before a reply of unknown length, with %d turns before', async (turns) => {
    const output = fileText('fresh', 60)
    const before = codingSession({ turns, steps: 2, lines: 20 })
    const source = history(...before, user('Read it.'), step('read', 'fresh', {}, output))
    const call = { overhead: { tools: 5_300 } }
    const { messages, report } = await createCompactor<Message>({ codec: neutralCodec, clock: fakeClock(), limits: { contextWindow: 8_000 } })
      .session('s')
      .beforeModelCall(source, call)
    expect(report.tokens.after).toBeGreaterThan(6_000)
    expect(textsOf(messages)).toContain(output)
    expect(report.warnings.join()).not.toContain('does not fit')
    // What is larger than that too is whole where it leaves an eighth for the reply, and that is said.
    const larger = fileText('fresh', 88)
    const last = history(...before, user('Read it.'), step('read', 'fresh', {}, larger))
    const narrow = await createCompactor<Message>({ codec: neutralCodec, clock: fakeClock(), limits: { contextWindow: 8_000 } })
      .session('s')
      .beforeModelCall(last, call)
    expect(textsOf(narrow.messages)).toContain(larger)
    expect(narrow.report.tokens.after).toBeGreaterThan(6_650)
    expect(narrow.report.warnings.join()).toContain('does not fit into the window of 8000')
    // What is known of the reply is kept free.
    const known = await make(8_000).beforeModelCall(source, { ...call, maxOutput: 2_000 })
    expect(known.report.tokens.after).toBeLessThanOrEqual(6_000)
  })
  it('what no reply followed yet stays whole when a user writes meanwhile', async () => {
    const output = fileText('fresh', 150)
    const source = history(...full, step('read', 'fresh', {}, output), user('Hurry.'))
    const { messages, report } = await make(8_000, { retain: presets.pivot.retain }).beforeModelCall(source)
    expect(report.outcome).toBe('summarized')
    expect(textsOf(messages)).toContain(output)
  })
})

describe('a refusal in one of several processes that share a storage', () => {
  const refused = new Error('Your input exceeds the context window of this model')
  const begun = (storage: StorageDriver, clock: Clock = fakeClock()) => createCompactor<Message>({ codec: neutralCodec, clock, storage }).session('s')

  it('is answered with what another one has compacted already, not with less', async () => {
    const storage = memoryStorage()
    const [first, second] = [begun(storage), begun(storage)]
    await first.beforeModelCall(full)
    await second.beforeModelCall(full)
    const one = await first.recover(full, refused)
    const other = await second.recover(full, refused)
    expect(other?.messages).toEqual(one?.messages)
    expect(other?.report.outcome).toBe('projected')
    expect(second.state().checkpoints).toHaveLength(1)
    // What is refused all the same is made smaller.
    const smaller = await second.recover(full, refused)
    expect(smaller?.report.tokens.after).toBeLessThan((one?.report.tokens.after as number) * 0.6)
  })

  it('tells the others of the window', async () => {
    const storage = memoryStorage()
    let now = 1_000_000
    const clock = { ...fakeClock(), now: () => now }
    const [first, second] = [begun(storage, clock), begun(storage, clock)]
    const call = { model: 'm' }
    for (const one of [first, second]) {
      await one.beforeModelCall(full, call)
      one.afterModelCall(prompt(9_000))
    }
    await first.recover(full, new Error('prompt is too long: 11043 tokens > 11000 maximum'), call)
    // Others look once a minute, after a call: the next one knows.
    now += 61_000
    const known = async (): Promise<number | undefined> => {
      await second.beforeModelCall(full, call)
      return second.state().calibration.learnedWindow
    }
    expect(await known()).toBeUndefined()
    await expect.poll(known).toBe(11_000)
  })
})
