// What the user said, after ten compactions one upon the other, in every way in which a session can be kept without a model.

import { ruler } from '@precis/cli/replay'
import {
  type CompactorOptions,
  createCompactor,
  type Message,
  type MessageCodec,
  memoryStorage,
  type PolicyOverrides,
  type PresetName,
  presets,
  type Summarizer,
} from '@precis/core'
import { type AdapterUnderTest, neutralCodec } from '@precis/testkit'
import { make as makeAiSdk } from '../packages/ai-sdk/test/make.ts'
import { messageCodec } from '../packages/langchain/src/codec.ts'
import { make as makeLangchain } from '../packages/langchain/test/make.ts'
import { codec as agentsCodec, make as makeAgents } from '../packages/openai-agents/test/make.ts'
import { createCodec } from '../packages/wire/src/ai-sdk/codec.ts'
import { type Figure, figureOf } from './measures/account.ts'
import { isTold } from './measures/wording.ts'
import { diceOf, type Fact, factOf, stepOf } from './sessions/generated.ts'
import { neutral, neutralText, type RecordedMessage } from './sessions/transcripts.ts'

/** One way to keep a session. */
interface Mode {
  readonly policy: PolicyOverrides
  readonly options?: Partial<CompactorOptions<Message>>
  /** What is handed in the next time: all that was said; what came out, as frameworks do that replace their state; one message for a new conversation. */
  readonly next: 'whole' | 'returned' | 'handed over'
  /** The session is made anew each time: another process. */
  readonly anew?: boolean
  /** The session is handed this framework's messages. */
  readonly adapter?: AdapterUnderTest<never>
}

const { balanced } = presets
/** Formats that do not know our mark: the summary comes back as a message like any other. */
const forgetful: MessageCodec<Message> = { ...neutralCodec, read: (message) => message }
const saying = (text: string, finish: 'stop' | 'length' = 'stop'): Summarizer => ({
  name: 'fixed',
  window: 1_000_000,
  summarize: async () => ({ text, finish }),
})
const failing: Summarizer = {
  name: 'failing',
  summarize: async () => {
    throw new Error('the service is not there')
  },
}
const little = 'The migration was looked at part by part. Nothing is open so far and the next part is to be looked at.'

function modesOf(): Readonly<Record<string, Mode>> {
  const storage = memoryStorage()
  const frameworks = {
    'ai-sdk': { codec: createCodec(), make: makeAiSdk },
    langchain: { codec: messageCodec, make: makeLangchain, splits: 'results' },
    'openai-agents': { codec: agentsCodec, make: makeAgents, splits: 'parts' },
  } as unknown as Readonly<Record<string, AdapterUnderTest<never>>>
  const ofFrameworks = Object.entries(frameworks).flatMap(([name, adapter]) => [
    [`${name}, one session`, { policy: balanced, next: 'whole', adapter }] as const,
    [`${name}, the summary comes back`, { policy: balanced, next: 'returned', anew: true, adapter }] as const,
  ])
  const ofPresets = (Object.keys(presets) as PresetName[]).map((name) => [`one session, ${name}`, { policy: presets[name], next: 'whole' }] as const)
  return {
    ...Object.fromEntries([...ofPresets, ...ofFrameworks]),
    'another process each time': { policy: balanced, options: { storage }, next: 'whole', anew: true },
    'the summary comes back': { policy: balanced, next: 'returned', anew: true },
    'the summary comes back to the same session': { policy: balanced, next: 'returned' },
    'the summary comes back without its mark': { policy: balanced, options: { codec: forgetful }, next: 'returned', anew: true },
    'the summary comes back joined with what is asked': {
      policy: { ...balanced, summary: { ...balanced.summary, neighbors: 'joined' } },
      next: 'returned',
      anew: true,
    },
    'the summary comes back as the assistant’s': { policy: { ...balanced, summary: { ...balanced.summary, role: 'assistant' } }, next: 'returned', anew: true },
    'the summary comes back as the system’s': { policy: { ...balanced, summary: { ...balanced.summary, role: 'system' } }, next: 'returned', anew: true },
    'handed over to a new conversation': { policy: balanced, next: 'handed over', anew: true },
    'a model that says little': { policy: balanced, options: { summarizer: saying(little) }, next: 'whole' },
    'a model that says little, the summary comes back': { policy: balanced, options: { summarizer: saying(little) }, next: 'returned', anew: true },
    'a model that says nothing': { policy: balanced, options: { summarizer: saying('') }, next: 'whole' },
    'a model that fails': { policy: balanced, options: { summarizer: failing }, next: 'whole' },
    'a model that fails, the summary comes back': { policy: balanced, options: { summarizer: failing }, next: 'returned', anew: true },
    'a notice alone': { policy: { ...balanced, summary: { ...balanced.summary, author: 'notice' } }, next: 'whole' },
  }
}

const compactions = 10
const stepsEach = 8
const factsEach = 3
const window = 24_000

/** What is said between two compactions: a request with facts, and steps that have nothing to do with them. */
export function stretchOf(number: number, seed: number): { readonly messages: readonly RecordedMessage[]; readonly facts: readonly Fact[] } {
  const dice = diceOf(1_000 * seed + number)
  const facts = Array.from({ length: factsEach }, (_, at) => factOf(number * factsEach + at, dice))
  const messages: RecordedMessage[] = [{ role: 'user', content: `Go on with part ${number + 1}. ${facts.map(({ sentence }) => sentence).join(' ')}` }]
  for (let step = 0; step < stepsEach; step++) messages.push(...stepOf(`call_${number}_${step}`, dice))
  return { messages: [...messages, { role: 'assistant', content: `Part ${number + 1} is done.` }], facts }
}

/** Share of the user's facts that a reader of the last context finds, for each mode. */
export async function userWords(seeds: number): Promise<Readonly<Record<string, Figure | undefined>>> {
  const values = new Map<string, (readonly [string, number])[]>()
  for (let seed = 1; seed <= seeds; seed++) {
    for (const [name, mode] of Object.entries(modesOf())) values.set(name, [...(values.get(name) ?? []), [`${seed}`, await keptIn(mode, seed)]])
  }
  return Object.fromEntries([...values].map(([name, own]) => [name, figureOf(own)]))
}

async function keptIn({ policy, options = {}, next, anew = false, adapter }: Mode, seed: number): Promise<number> {
  const { codec, make, splits } = (adapter ?? { codec: neutralCodec, make: (message: Message) => message }) as unknown as AdapterUnderTest<unknown>
  const framework = (message: Message): readonly unknown[] =>
    (splits === 'parts' ? message.parts.map((part) => ({ ...message, parts: [part] })) : [message]).map((one) => make(one))
  const open = () =>
    createCompactor<unknown>({
      codec,
      estimator: ruler,
      limits: { contextWindow: 0, maxInput: window },
      policy,
      redact: false,
      ...(options as Partial<CompactorOptions<unknown>>),
    }).session('words')
  const text = (messages: readonly unknown[]): string => messages.map((message) => neutralText((options.codec ?? codec).read(message as never))).join('\n')
  let session = open()
  let history: readonly unknown[] = []
  let context: readonly unknown[] = []
  const facts: Fact[] = []
  for (let number = 0; number < compactions; number++) {
    const stretch = stretchOf(number, seed)
    facts.push(...stretch.facts)
    history = [...history, ...stretch.messages.map(neutral).flatMap(framework)]
    if (anew) session = open()
    context =
      next === 'handed over'
        ? framework({ role: 'user', parts: [{ type: 'text', text: await session.handoff(history) }] })
        : (await session.compact(history)).messages
    if (next !== 'whole') history = context
  }
  const read = text(context)
  return facts.filter(({ value, sentence }) => isTold(read, value, sentence)).length / facts.length
}
