import {
  answerRefusals,
  builtInEstimator,
  type CompactionReport,
  type CompactionSession,
  type CompactorOptions,
  createArchive,
  createCompactor,
  estimateMessage,
  InsufficientBudgetError,
  type Message,
  type MessageCodec,
  memoryStorage,
  neutralCodec,
  type PolicyOverrides,
  type Prepared,
} from '@precis/core'
import { type AdapterUnderTest, byPart, joined } from './adapter-cases.ts'
import { assistant, call, result, system, user } from './builders.ts'
import { fakeClock } from './fakes.ts'
import { recallModel, unknownAnswer } from './provider/recall-model.ts'
import { createRandom, type Random } from './random.ts'
import { toAnthropic, validateAnthropic } from './wire/anthropic.ts'
import { toGemini, validateGemini } from './wire/gemini.ts'
import { toOpenAIChat, validateOpenAIChat } from './wire/openai-chat.ts'
import { toOpenAIResponses, validateOpenAIResponses } from './wire/openai-responses.ts'

export const wireShapes = ['openai-chat', 'openai-responses', 'anthropic', 'gemini'] as const
export type WireShape = (typeof wireShapes)[number]

export interface SoakOptions {
  readonly seed: number
  readonly policy: PolicyOverrides
  /** More options for the compactor, such as a summarizer. */
  readonly options?: Partial<CompactorOptions<unknown>>
  /** The session is handed a framework's messages. Default: neutral ones. */
  readonly adapter?: AdapterUnderTest<never>
  /** Tokens of the whole session as a multiple of the window. Default 3. */
  readonly length?: number
  /** Replies of up to half the window, windows that nobody states or states wrongly, and refusals without a number. Default false. */
  readonly harsh?: boolean
}

export interface SoakResult {
  readonly calls: number
  /** Tokens of the whole history ÷ window. */
  readonly times: number
  readonly compactions: number
  /** Different compactions that the model was shown, those that were made in the background included. */
  readonly shown: number
  /** Most compactions that growth explains: one per (trigger − target) tokens, one for each refusal, and one to begin with. */
  readonly allowed: number
  /** Requests that a provider of this shape would refuse. */
  readonly invalid: Readonly<Record<WireShape, number>>
  /** Requests over the window that were answered with a refusal, and those where nothing helped. */
  readonly overflows: number
  readonly unrecovered: number
  /** Questions about something said long ago, and how many were answered. */
  readonly asked: number
  readonly answered: number
  /** Answered from the context, or with one look through `recall_history`. */
  readonly answeredWithTool: number
  /** Answered from the whole history: what a model without a window would have known. */
  readonly answeredWithout: number
  /** Why it ended early; undefined when it did not. */
  readonly stopped?: string
}

interface Fact {
  readonly name: string
  readonly value: string
  readonly told: number
}

/**
 * One random agent session against a provider with a hidden window and a tokenizer of its own: every context is checked in all four wire
 * shapes, refused when it is too long, and asked about what was said before.
 */
export async function soakSession({ seed, policy, options = {}, adapter, length = 3, harsh = false }: SoakOptions): Promise<SoakResult> {
  const framework = frameworkOf(adapter)
  const random = createRandom(seed)
  const window = random.pick([8_000, 12_000, 16_000, 24_000])
  const skew = random.between(60, 170) / 100
  const maxOutput = harsh ? Math.floor((window * random.between(5, 50)) / 100) : random.pick([500, 1_000, 2_000])
  const published = random.chance(harsh ? 0.3 : 0.15) ? Math.floor(window * 1.3) : window
  const isHidden = harsh && random.chance(0.5)
  const isMute = harsh && random.chance(0.5)
  const session = createCompactor<unknown>({
    codec: framework.codec,
    ...(!isHidden && { limits: { contextWindow: published, maxOutput } }),
    clock: fakeClock(),
    // A policy that insists on limits has nothing to be tested for where there are none.
    policy: isHidden ? { ...policy, trigger: { ...policy.trigger, unknownLimits: 'no-trigger' } } : policy,
    archive: createArchive<unknown>(memoryStorage()),
    ...options,
  }).session(`soak-${seed}`)
  const provider = createProvider({ window, skew, maxOutput, isMute })
  const world = createWorld(random)
  const history: Message[] = [system('You are an agent that works step by step.')]
  const facts: Fact[] = []
  const seen = { calls: 0, compactions: 0, grown: 0, asked: 0, answered: 0, answeredWithTool: 0, answeredWithout: 0 }
  const gap = { least: Infinity }
  const shown = new Set<string>()
  let stopped: string | undefined

  const request = async (): Promise<readonly Message[] | undefined> => {
    const call = { maxOutput }
    const own = framework.make(history)
    const send = async ({ messages, report }: Prepared<unknown>): Promise<readonly Message[]> => {
      count(report, seen, gap)
      if (report.checkpoint !== undefined) shown.add(report.checkpoint)
      const read = framework.read(messages)
      provider.send(read)
      session.afterModelCall({ usage: { input: provider.lastTokens(), cacheRead: 0, cacheWrite: 0, output: 40 } })
      seen.calls++
      return read
    }
    const first = await session.beforeModelCall(own, call)
    try {
      return await answerRefusals(session, { history: own, call }, () => send(first), send)
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      provider.giveUp()
      return undefined
    }
  }

  try {
    while (provider.tokensOf(history) < length * window) {
      const before = provider.tokensOf(history)
      world.grow(history, facts)
      seen.grown += provider.tokensOf(history) - before
      const context = await request()
      if (context === undefined) break
      const old = facts.filter((fact) => fact.told < history.length - 12)
      if (old.length > 0 && random.chance(0.25)) {
        const fact = random.pick(old)
        history.push(assistant('Done.'), user(`What is the value of ${fact.name}?`))
        const asked = await request()
        if (asked === undefined) break
        const answer = ask(asked, fact)
        seen.asked++
        seen.answered += Number(answer === fact.value)
        seen.answeredWithTool += Number(answer === fact.value || (await lookUp(session, fact)) === fact.value)
        seen.answeredWithout += Number(ask(history, fact) === fact.value)
        history.push(assistant(`It is ${answer}.`), user('Go on.'))
      }
    }
  } catch (error) {
    if (!InsufficientBudgetError.isInstance(error)) throw error
    stopped = error.culprit.part
  }
  return {
    ...provider.result(),
    calls: seen.calls,
    times: provider.tokensOf(history) / window,
    compactions: seen.compactions,
    shown: shown.size,
    allowed: 1 + provider.result().overflows + Math.ceil(seen.grown / gap.least),
    asked: seen.asked,
    answered: seen.answered,
    answeredWithTool: seen.answeredWithTool,
    answeredWithout: seen.answeredWithout,
    ...(stopped !== undefined && { stopped }),
  }
}

function count(report: CompactionReport, seen: { compactions: number }, gap: { least: number }): void {
  const { decision } = report.plan
  if (report.outcome === 'unchanged' || report.outcome === 'projected' || decision.reason === 'maintenance') return
  seen.compactions++
  if (decision.reason === 'hard' || decision.reason === 'emergency') gap.least = Math.min(gap.least, decision.used - decision.target)
}

/** The framework's messages for neutral ones, each made once, and the way back. */
function frameworkOf(adapter: AdapterUnderTest<never> | undefined) {
  if (adapter === undefined) {
    const same = (messages: readonly unknown[]): readonly Message[] => messages as readonly Message[]
    return { codec: neutralCodec as MessageCodec<unknown>, make: (history: readonly Message[]): readonly unknown[] => history, read: same }
  }
  const { codec, make, splits } = adapter as unknown as AdapterUnderTest<unknown>
  const made = new WeakMap<Message, readonly unknown[]>()
  const makeOne = (message: Message): readonly unknown[] => {
    const pieces = splits === 'parts' || (splits === 'results' && message.role === 'tool') ? byPart(message) : [message]
    const own = made.get(message) ?? pieces.map(make)
    made.set(message, own)
    return own
  }
  const known = new WeakMap<object, Message>()
  const readOne = (message: unknown): Message => {
    const read = known.get(message as object) ?? codec.read(message)
    known.set(message as object, read)
    return read
  }
  return {
    codec,
    make: (history: readonly Message[]): readonly unknown[] => history.flatMap(makeOne),
    read: (messages: readonly unknown[]): readonly Message[] => joined(messages.map(readOne), splits === undefined ? {} : { splits }),
  }
}

class Refusal extends Error {
  readonly statusCode = 400
}

/** A provider that counts with its own tokenizer and refuses in a real one's words. */
function createProvider({
  window,
  skew,
  maxOutput,
  isMute,
}: {
  readonly window: number
  readonly skew: number
  readonly maxOutput: number
  readonly isMute: boolean
}) {
  const invalid: Record<WireShape, number> = { 'openai-chat': 0, 'openai-responses': 0, anthropic: 0, gemini: 0 }
  let overflows = 0
  let unrecovered = 0
  let last = 0
  const known = new WeakMap<Message, number>()
  const tokensOf = (messages: readonly Message[]): number => {
    let total = 0
    for (const message of messages) {
      const tokens = known.get(message) ?? Math.ceil(estimateMessage(message, builtInEstimator) * skew)
      known.set(message, tokens)
      total += tokens
    }
    return total
  }
  return {
    tokensOf,
    lastTokens: () => last,
    /** @throws Refusal for a prompt that is too long. */
    send(messages: readonly Message[]): void {
      if (validateOpenAIChat(toOpenAIChat(messages)).length > 0) invalid['openai-chat']++
      if (validateOpenAIResponses(toOpenAIResponses(messages)).length > 0) invalid['openai-responses']++
      if (validateAnthropic(toAnthropic(messages)).length > 0) invalid.anthropic++
      if (validateGemini(toGemini(messages)).length > 0) invalid.gemini++
      last = tokensOf(messages)
      if (last + maxOutput <= window) return
      overflows++
      throw new Refusal(isMute ? 'Your input exceeds the context window of this model' : `prompt is too long: ${last} tokens > ${window - maxOutput} maximum`)
    },
    giveUp: (): void => void unrecovered++,
    result: () => ({ invalid, overflows, unrecovered }),
  }
}

/** What a model does that does not find a name in its context: it looks into the record. */
async function lookUp(session: CompactionSession<unknown>, fact: Fact): Promise<string> {
  const tool = session.tools().find((one) => one.name === 'recall_history')
  const found = await tool?.execute({ query: fact.name, limit: 5 })
  return found === undefined ? unknownAnswer : ask([result('look', found)], fact)
}

/** Asks about one fact: the model knows what stands in front of it, nothing else. */
function ask(context: readonly Message[], fact: Fact): string {
  const question = `What is the value of ${fact.name}?`
  const model = recallModel({ steps: [], final: '', questions: [{ asks: question, pattern: new RegExp(`${fact.name} (?:is|=|:) ?"?([A-Z]+-\\d+)`) }] })
  const texts = context.map((message) => ({
    role: message.role,
    text: message.parts.map((part) => ('text' in part ? part.text : 'output' in part ? part.output : 'input' in part ? part.input : '')).join('\n'),
    callIds: [],
    isResult: message.role === 'tool',
  }))
  // Earlier answers to the same question are no memory of the fact.
  const asked = { role: 'user', text: question, callIds: [], isResult: false }
  return model([...texts.filter((entry) => !entry.text.startsWith('It is ')), asked]).text || unknownAnswer
}

const verbs = ['reads', 'writes', 'caches', 'retries', 'parses', 'merges', 'checks', 'loads'] as const
const nouns = ['request', 'config', 'session', 'worker', 'queue', 'report', 'index', 'ledger', 'token', 'batch'] as const

/** What an agent meets: files, logs, failures, requests of the user, and now and then something worth remembering. */
function createWorld(random: Random) {
  let step = 0
  const line = (at: number): string =>
    `${at}: ${random.pick(nouns)} ${random.pick(verbs)} the ${random.pick(nouns)} of ${random.chance(0.15) ? `${random.pick(nouns)}-${random.between(1, 999)}` : `its ${random.pick(nouns)}`}`
  const lines = (count: number): string[] => Array.from({ length: count }, (_, at) => line(at + 1))
  const learn = (history: readonly Message[], facts: Fact[]): string => {
    const name = `${random.pick(nouns)}_${random.pick(verbs)}_${facts.length}`
    const value = `${random.pick(['REV', 'OPS', 'CFG'])}-${random.between(1_000, 99_999)}`
    facts.push({ name, value, told: history.length })
    return `${name} = ${value}`
  }
  return {
    grow(history: Message[], facts: Fact[]): void {
      if (history.at(-1)?.role !== 'user' || random.chance(0.12)) {
        const told = random.chance(0.15) ? ` Remember that ${learn(history, facts).replace(' = ', ' is ')}.` : ''
        if (history.at(-1)?.role === 'tool') history.push(assistant(`The ${random.pick(nouns)} ${random.pick(verbs)} fine.`))
        history.push(user(`Look at the ${random.pick(nouns)} that ${random.pick(verbs)} the ${random.pick(nouns)}.${told}`))
      }
      const id = `s${step++}`
      const path = `src/${random.pick(nouns)}/${random.pick(verbs)}-${random.between(1, 60)}.ts`
      const content = lines(random.between(3, random.chance(0.1) ? 160 : 45))
      const failed = random.chance(0.08)
      if (!failed && random.chance(0.3)) content.splice(random.between(0, content.length), 0, learn(history, facts))
      history.push(call(random.pick(['read_file', 'grep', 'run', 'edit_file']), id, { path }))
      history.push(result(id, failed ? `Error: cannot open ${path}` : content.join('\n'), { tool: 'read_file', isError: failed }))
    },
  }
}
