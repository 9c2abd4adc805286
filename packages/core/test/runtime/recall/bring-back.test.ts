import { assistant, call, neutralCodec, result, user } from '@precis/testkit'
import { describe, expect, it } from 'vitest'
import { answerRefusals, createCompactor, type Message, type ModelCall, type PolicyOverrides, type Prepared } from '../../../src/index.ts'
import { createLookUpTurn, createRecallMemory, type RoundPlace, recovering, type SentRequest } from '../../../src/runtime/adapters.ts'

interface Kept extends RoundPlace {
  readonly messages: readonly Message[]
  readonly tokens: number
}

const places = 'harbor orchard lantern meadow granite willow cobalt juniper saffron canyon falcon ember'.split(' ')
/** Lines of names, so many that a record cannot hold what stands among them. */
const linesOf = (name: string, from: number, count = 40): string =>
  Array.from(
    { length: count },
    (_, at) => `export const ${name}${(at + from) * 7} = load('part-${(at * 37 + from * 911) % 9_000}', { retries: ${at % 9} })`,
  ).join('\n')
const port = (place: string): string => `${8_100 + places.indexOf(place)}`
const four = places.slice(0, 4)
const filesRead = places.flatMap((place) => [
  call('read_file', place, { path: `${place}.conf` }),
  result(place, `${linesOf(place, 1)}\n// The gateway of the ${place} answers on port ${port(place)}.\n${linesOf(place, 50)}`, { tool: 'read_file' }),
])
/** Compacted when the user greets: what is asked about has left by then. */
const begun = [user('Read the files of the gateways.'), ...filesRead, assistant('I have read them.'), user('Hello.')]
const read = [...begun, assistant('Hello.')]
const asks = (place: string): Message => user(`On which port does the gateway of the ${place} answer?`)

/** A process with one conversation: what each request shows, and how often was searched. */
async function open({ policy, maxInput = 3_000 }: { policy?: PolicyOverrides; maxInput?: number } = {}) {
  const compactor = createCompactor<Message>({
    codec: neutralCodec,
    limits: (model) => ({ contextWindow: 0, maxInput: model === 'small' ? 1_500 : maxInput }),
    ...(policy !== undefined && { policy }),
  })
  const memory = createRecallMemory<Kept>()
  const session = compactor.session('s')
  let searches = 0
  let bound = 0
  const turnOf = (history: readonly Message[]) =>
    createLookUpTurn<Message, Kept, SentRequest<Message>>({
      compactor: {
        joins: compactor.joins,
        lookUp(id, round) {
          searches++
          bound = round.tokens.budget ?? 0
          return compactor.lookUp(id, round)
        },
      },
      codec: neutralCodec,
      memory,
      session,
      history,
      tools: [],
      model: () => 'm',
      recall: 'on',
      keptElsewhere: false,
      userMessage: user,
      messagesOf: ({ messages }) => messages,
    })
  const request = async (history: readonly Message[], call: ModelCall = {}): Promise<readonly Message[]> => {
    const turn = turnOf(history)
    const { messages, report } = await turn.prepare(session, call)
    return turn.withPassages(messages, report)
  }
  /** What is sent to a provider for which the first requests are too long. */
  const refused = async (
    history: readonly Message[],
    times = 1,
    message = 'prompt is too long: 3100 tokens > 3000 maximum',
  ): Promise<readonly (readonly Message[])[]> => {
    const turn = turnOf(history)
    const { messages: context, report } = await turn.prepare(session, {})
    const sent: (readonly Message[])[] = []
    const requestOf = (messages: readonly Message[]) => ({ context, report, offered: false, messages })
    const send = async ({ messages }: { readonly messages: readonly Message[] }): Promise<void> => {
      sent.push(messages)
      if (sent.length <= times) throw Object.assign(new Error(message), { statusCode: 400 })
    }
    const smaller = async (made: Prepared<Message>): Promise<void> => {
      const again = await turn.prepare(session, {}, made)
      await send({ messages: turn.withPassages(again.messages, again.report) })
    }
    await answerRefusals(
      recovering(session, turn),
      { history, call: {} },
      () => turn.send(requestOf(turn.withPassages(context, report)), () => requestOf(context), send as never),
      smaller,
    )
    return sent
  }
  await request(begun)
  return { request, refused, memory, session, searches: () => searches, bound: () => bound }
}

const mark = 'Earlier passages'
const textOf = ({ parts }: Message): string => parts.map((part) => ('text' in part ? part.text : '')).join('\n')
const shownIn = (messages: readonly Message[]): string[] => messages.map(textOf).filter((text) => text.includes(mark))
const portsIn = (messages: readonly Message[]): string[] => places.filter((place) => shownIn(messages).some((text) => text.includes(`port ${port(place)}`)))

describe('what a message asks about is brought back', () => {
  it('before it, once, and for the whole turn', async () => {
    const { request, searches } = await open()
    const first = await request([...read, asks('harbor')])
    expect(first.at(-1)).toEqual(asks('harbor'))
    expect(shownIn(first.slice(-2, -1))).toHaveLength(1)
    const later = [call('check', 'k', {}), result('k', 'fine', { tool: 'check' })]
    const second = await request([...read, asks('harbor'), ...later])
    expect(second).toEqual([...first, ...later])
    expect(searches()).toBe(1)
  })
  it('for another question in its place, and only for that', async () => {
    const { request } = await open()
    await request([...read, asks('harbor')])
    expect(portsIn(await request([...read, asks('orchard')]))).toEqual(['orchard'])
    expect(portsIn(await request([...read, user('Good night.')]))).toEqual([])
    expect(portsIn(await request([...read, asks('harbor')]))).toEqual(['harbor'])
  })
  it('for each of several at once', async () => {
    const { request } = await open()
    const requests = await Promise.all(four.map((place) => request([...read, asks(place)])))
    expect(requests.map(portsIn)).toEqual(four.map((place) => [place]))
  })
  it('in each branch, whatever another one was told', async () => {
    const { request } = await open()
    const ask = (name: string) => request([...read, user(`I am ${name}.`), assistant(`Hello ${name}.`), asks('harbor')])
    expect([portsIn(await ask('Ann')), portsIn(await ask('Bob'))]).toEqual([['harbor'], ['harbor']])
  })
  it('is searched once where nothing is found, too', async () => {
    const { request, searches } = await open()
    const nothing = user('Which color do the curtains of the library have?')
    for (let again = 0; again < 3; again++) await request([...read, nothing])
    expect(searches()).toBe(1)
  })
  it('and nobody searches where nothing is asked', async () => {
    const { request, searches } = await open()
    for (const said of ['Thanks!', 'Go on.', 'Run the tests of the gateway of the harbor.']) await request([...read, user(said)])
    expect(searches()).toBe(0)
  })
  it('and each stays, however many there are, until the next compaction', async () => {
    const { request } = await open({ maxInput: 40_000, policy: { trigger: { auto: true, hard: { fraction: 0.9 }, target: { fraction: 0.2 } } } })
    const many = Array.from({ length: 120 }, (_, at) => `spot${String.fromCharCode(97 + (at % 26))}${String.fromCharCode(97 + Math.floor(at / 26))}`)
    const facts = many.flatMap((spot, at) => [
      call('read_file', spot, { path: `${spot}.conf` }),
      result(spot, `${linesOf(spot, at, 30)}\n// The lamp of the ${spot} needs part ${20_000 + at}.`, { tool: 'read_file' }),
    ])
    let history: readonly Message[] = [user('Read all.'), ...facts, assistant('Read.')]
    let [before, shown]: [readonly Message[], number] = [[], 0]
    for (const spot of many.slice(0, 60)) {
      history = [...history, user(`Which part does the lamp of the ${spot} need?`)]
      const now = await request(history)
      // One prompt is the beginning of the next.
      expect(now.slice(0, before.length)).toEqual(before)
      before = now
      shown = shownIn(now).length
      history = [...history, assistant('Noted.')]
    }
    expect(shown).toBeGreaterThan(50)
  })
  it('for two windows in turns, each by its own checkpoint', async () => {
    const { request } = await open()
    const small = { model: 'small' }
    const first = await request([...read, asks('harbor')])
    await request([...read, asks('harbor')], small)
    const later = [assistant('It is 8100.'), user('Thanks.')]
    const second = await request([...read, asks('harbor'), ...later])
    expect([portsIn(first), second]).toEqual([['harbor'], [...first, ...later]])
  })
  it('with a smaller context, once a request with it was refused for its size', async () => {
    const { request, refused, session } = await open()
    const history = [...read, asks('harbor')]
    await request(history)
    const before = session.state().checkpoints.length
    const sent = await refused(history)
    expect([sent.map(portsIn), session.state().checkpoints.length]).toEqual([[['harbor'], ['harbor']], before + 1])
    expect(portsIn(await request(history))).toEqual(['harbor'])
  })
  it('not again in the same call, however much smaller a second refusal makes it', async () => {
    const { refused, session } = await open()
    const before = session.state().checkpoints.length
    const sent = await refused([...read, asks('harbor')], 2, 'prompt is too long')
    expect([sent.map(portsIn), session.state().checkpoints.length - before]).toEqual([[['harbor'], ['harbor'], []], 2])
  })
  it('not again, once that was refused too', async () => {
    const { request, refused } = await open()
    const history = [...read, asks('harbor')]
    const sent = await refused(history, 3)
    expect(sent.map(portsIn)).toEqual([['harbor'], ['harbor'], [], []])
    expect(portsIn(await request(history))).toEqual([])
  })
  it('never against an abort', async () => {
    const { request } = await open()
    const history = [...read, asks('harbor')]
    await expect(request(history, { signal: AbortSignal.abort(new Error('enough')) })).rejects.toThrow('enough')
    expect(portsIn(await request(history))).toEqual(['harbor'])
  })
  it('within its message where roles have to alternate', async () => {
    const { request } = await open({ policy: { summary: { neighbors: 'joined' } } })
    const messages = await request([...read, asks('harbor')])
    expect(portsIn(messages)).toEqual(['harbor'])
    const roles = messages.map(({ role }) => role)
    expect(roles.some((role, at) => role === 'user' && roles[at - 1] === 'user')).toBe(false)
    expect(textOf(messages.at(-1) as Message)).toMatch(/^Earlier passages[\s\S]*answer\?$/)
  })
  it('within what is free as the provider counts it', async () => {
    const { request, session, bound } = await open()
    session.afterModelCall({ usage: { input: 2_200, cacheRead: 0, cacheWrite: 0, output: 1 } })
    const { factor } = session.state().calibration
    expect(factor).toBeGreaterThan(1.1)
    await request([...read, asks('harbor')])
    expect(Math.round(bound() * factor)).toBe(3_000)
  })
  it('never where it would take more than is free below 98 % of the budget', async () => {
    const compactor = createCompactor<Message>({ codec: neutralCodec })
    const history = [...read, asks('harbor')]
    const spentAt = async (after: number): Promise<number> => {
      const { answers, receipt } = await compactor.lookUp('s', { history, context: [], inputs: [], round: 0, tokens: { before: after, after, budget: 2_000 } })
      expect(answers).toHaveLength(receipt.shown > 0 ? 1 : 0)
      return receipt.tokens
    }
    expect(await spentAt(1_000)).toBeGreaterThan(50)
    for (let after = 1_000; after <= 2_000; after += 50) expect(await spentAt(after)).toBeLessThanOrEqual(Math.max(0, 1_960 - after))
    expect(await spentAt(1_750)).toBeGreaterThan(50)
    expect(await spentAt(1_870)).toBe(0)
  })
})
