import { strictProvider } from '@precis/testkit'
import { type Cost, costOf } from '../front/cost.ts'
import type { Front, Setting, Way } from '../front/front.ts'
import {
  type Conversation,
  conversationOf,
  type Question,
  seedOf,
  type Turn,
} from './conversation.ts'
import type { Talk } from './format.ts'
import { answering, parameterOf, type Reader, type Seen } from './reader.ts'

/** One question, and what its last request showed. */
export interface Answered extends Seen {
  readonly asks: string
  readonly kind: Question['kind']
  readonly otherwise: boolean
  readonly lookUps: number
}

/** One talk through one door, by one reader; by none that can look up where recall is off. */
export interface Run {
  readonly reader: Reader | 'off'
  readonly answered: readonly Answered[]
  /** Between the last change and the first question. */
  readonly compactions: number
  readonly refused: number
  readonly died?: string
  readonly cost: Cost
  readonly requests: number
  /** Seconds of this process. */
  readonly seconds: number
}

/** One talk through one door, by every reader. */
export interface TalkRun {
  readonly door: string
  readonly talk: string
  readonly language: string
  readonly window: number
  readonly runs: readonly Run[]
}

/** Windows in Tokens, by the talk: larger ones for outputs of tools; the longest reply. */
const windows = (tools: boolean): readonly number[] =>
  tools ? [10_000, 12_000, 14_000, 16_000] : [8_000, 9_000, 10_000, 12_000]
const maxOutput = 500
/** Compactions between the last change and the questions, and messages that may bring them about. */
const least = 3
const mostBetween = 600

const instructions = 'You are a helpful assistant. Keep your answers short.'

/** Has one talk without recall, and the same messages with it, once for each reader. */
export async function runTalk(
  front: Front,
  talk: Talk,
  seed: number,
  contextWindow = pickedBy(talk.name, seed, windows(talk.tools)),
): Promise<TalkRun> {
  const conversation = conversationOf(talk, seed)
  const run = (reader: Run['reader'], between?: number) =>
    had(front, talk, conversation, { contextWindow, reader, between })
  const off = await run('off')
  const all = await run('everything', off.between)
  // Without tools nobody looks anything up: both read the same.
  const needed = talk.tools
    ? await run('needed', off.between)
    : { run: { ...all.run, reader: 'needed' as const, seconds: 0 } }
  const runs = [off.run, all.run, needed.run]
  const { name, language } = talk
  return { door: front.name, talk: name, language, window: contextWindow, runs }
}

/** The same of them for the same name and seed. */
function pickedBy(name: string, seed: number, from: readonly number[]): number {
  return from[seedOf(name, seed) % from.length] ?? 0
}

interface RunOptions {
  readonly contextWindow: number
  readonly reader: Run['reader']
  /** Messages between the opening and the questions. Default: until it was compacted often enough. */
  readonly between: number | undefined
}

async function had(
  front: Front,
  talk: Talk,
  { opening, between: betweenAt, asking, outputs }: Conversation,
  { contextWindow, reader, between }: RunOptions,
): Promise<{ readonly run: Run; readonly between: number }> {
  let current = answering(betweenAt(0), 'needed')
  const provider = await strictProvider({
    window: contextWindow,
    maxOutput,
    model: (prompt, declared) => current.model(prompt, declared),
  })
  const started = process.cpuUsage()
  const checkpoints = new Set<string>()
  const setting: Setting = {
    limits: { contextWindow, maxOutput },
    instructions,
    tools: (talk.tools ? ['read_file', 'search'] : []).map((name) => ({
      name,
      description: name === 'search' ? 'Searches.' : 'Reads a file.',
      parameter: parameterOf(name),
      execute: (argument) => outputs.get(argument) ?? 'Nothing found.',
    })),
    onReport: ({ checkpoint }) => {
      if (checkpoint !== undefined) checkpoints.add(checkpoint)
    },
  }
  const way: Way = reader === 'off' ? 'off' : 'precis'
  const chat = front.chat(way, provider.url, setting)
  const answered: Answered[] = []
  const have = async (turn: Turn): Promise<void> => {
    current = answering(turn, reader === 'off' ? 'needed' : reader)
    await chat.ask(turn.content)
    if (turn.question === undefined) return
    const { kind, otherwise } = turn.question
    const lookUps = current.lookUps()
    const asked = { asks: turn.content, kind, otherwise, lookUps }
    answered.push({ ...asked, ...current.seen() })
  }

  let died: string | undefined
  let [many, compactions] = [0, 0]
  try {
    for (const turn of opening) await have(turn)
    const before = checkpoints.size
    const isEnough = (): boolean =>
      between === undefined
        ? checkpoints.size >= before + least || many >= mostBetween
        : many >= between
    while (!isEnough()) await have(betweenAt(many++))
    compactions = checkpoints.size - before
    for (const turn of asking) await have(turn)
  } catch (error) {
    died = String(error)
  }
  await provider.close()
  const { requests } = provider
  const refused = requests.filter(({ status }) => status !== 200).length
  const run: Run = {
    reader,
    answered,
    compactions,
    refused,
    ...(died !== undefined && { died }),
    cost: costOf(requests),
    requests: requests.length,
    seconds: process.cpuUsage(started).user / 1e6,
  }
  return { run, between: many }
}
