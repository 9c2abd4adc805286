import { memoryStorage, type StorageDriver } from '@precis/core'
import { createRandom, strictProvider } from '@precis/testkit'
import type { Setting } from '../front/front.ts'
import { conversationOf, type Turn } from '../said/conversation.ts'
import { answering, parameterOf } from '../said/reader.ts'
import type { Drawn } from './draw.ts'

/** What became of one conversation. */
export interface Outcome {
  /** The error that ended it. */
  readonly died?: string
  readonly turns: number
  readonly requests: number
  /** For their size. */
  readonly refused: number
  /** Rules that requests broke. */
  readonly invalid: readonly string[]
  /** Answers that reached the caller otherwise than the model gave them. */
  readonly otherwise: number
  readonly compactions: number
  /** Questions about what the person said, and those that were answered right. */
  readonly asked: number
  readonly right: number
}

const maxOutput = 500
const mostBetween = 60
const least = 3
/** Milliseconds for which a storage is waited for, and after which a turn counts as dead. */
const patience = 300
const longest = 60_000

/** Has one conversation with a drawn agent: what is said, other matters until it was compacted three times more, the questions. */
export async function runDrawn(drawn: Drawn, seed: number): Promise<Outcome> {
  const conversation = conversationOf(drawn.talk, seed)
  const { opening, between, asking, outputs } = conversation
  let current = answering(between(0), 'everything')
  const provider = await strictProvider({
    window: drawn.window,
    skew: drawn.skew,
    maxOutput,
    model: (prompt, declared) => current.model(prompt, declared),
  })
  const checkpoints = new Set<string>()
  let [turns, otherwise, asked, right] = [0, 0, 0, 0]
  const setting: Setting = {
    limits: { contextWindow: drawn.window, maxOutput },
    instructions: () => systemOf(drawn, turns),
    streams: drawn.streams,
    process: () =>
      drawn.processes === 'new' ? turns : turns % drawn.processes,
    options: {
      limits:
        drawn.told === undefined
          ? undefined
          : { contextWindow: drawn.told, maxOutput },
      storage: failing(memoryStorage(), drawn.faults, seed),
      effectDeadline: patience,
      onWarning: () => {}, // of the storage, many times
    },
    tools: toolsOf(drawn, outputs, seed),
    onReport: ({ checkpoint }) => {
      if (checkpoint !== undefined) checkpoints.add(checkpoint)
    },
  }
  const chat = drawn.door.chat('precis', provider.url, setting)
  const have = async (turn: Turn): Promise<void> => {
    current = answering(turn, 'everything')
    const said = await inTime(chat.ask(turn.content))
    turns++
    if (turn.question === undefined) otherwise += Number(said !== turn.reply)
    else if (turn.question.kind !== 'tool') {
      asked++
      right += Number(current.seen().sight === 'right')
    }
  }

  let died: string | undefined
  try {
    for (const turn of opening) await have(turn)
    const enough = checkpoints.size + least
    for (let at = 0; at < mostBetween && checkpoints.size < enough; at++)
      await have(between(at))
    for (const turn of asking) await have(turn)
  } catch (error) {
    died = String(error)
  }
  await provider.close()
  const { requests } = provider
  const refused = requests.filter(({ status }) => status !== 200)
  const broken = refused.flatMap(({ violations }) => violations)
  return {
    ...(died !== undefined && { died }),
    turns,
    requests: requests.length,
    refused: refused.length,
    invalid: [...new Set(broken.map(({ rule }) => rule))],
    otherwise,
    compactions: checkpoints.size,
    asked,
    right,
  }
}

function systemOf({ system, clock }: Drawn, turn: number): string {
  const time = new Date(Date.UTC(2026, 0, 5) + turn * 61_000).toISOString()
  const rules = 'Mind the rules of the house, and be kind. '
  return [
    ...(clock === 'first' ? [`It is ${time}.`] : []),
    'You are a helpful assistant. Keep your answers short.',
    rules.repeat(system / 10),
    ...(clock === 'last' ? [`It is ${time}.`] : []),
  ].join(' ')
}

function toolsOf(
  drawn: Drawn,
  outputs: ReadonlyMap<string, string>,
  seed: number,
): Setting['tools'] {
  const random = createRandom(seed)
  const line = (_: unknown, at: number): string =>
    `row ${at} ${random.between(1e6, 9e6)} path/to/${random.between(1, 999)}/x.ts`
  const longer = (text: string): string => {
    const lines = random.chance(0.6) ? 0 : random.between(20, 150)
    const more = Array.from({ length: lines * drawn.outputs }, line)
    return [text, ...more].join('\n')
  }
  const used = ['read_file', 'search'].map((name) => ({
    name,
    description: name === 'search' ? 'Searches.' : 'Reads a file.',
    parameter: parameterOf(name),
    execute: (argument: string) =>
      longer(outputs.get(argument) ?? 'Nothing found.'),
  }))
  const others = Array.from({ length: drawn.tools }, (_, at) => ({
    name: `other_${at}`,
    description: `Does what number ${at} of the house is for, with what is known of it today.`,
    parameter: 'value',
    execute: () => 'done',
  }))
  return [...used, ...others]
}

/** A storage that fails at some of what it is asked, or never answers. */
function failing(
  storage: StorageDriver,
  faults: Drawn['faults'],
  seed: number,
): StorageDriver {
  const random = createRandom(seed)
  const share = faults === 'hang' ? 1 / 50 : faults
  const tried = <A extends unknown[], T>(ask: (...asks: A) => Promise<T>) => {
    return (...asks: A): Promise<T> => {
      if (!random.chance(share)) return ask(...asks)
      return faults === 'hang'
        ? new Promise(() => {})
        : Promise.reject(new Error('The disk is on fire.'))
    }
  }
  return {
    ...storage,
    get: tried(storage.get),
    put: tried(storage.put),
    delete: tried(storage.delete),
  }
}

/** @throws after a minute. */
async function inTime<T>(answer: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    const error = new Error('No answer within a minute.')
    timer = setTimeout(() => reject(error), longest)
  })
  return Promise.race([answer, late]).finally(() => clearTimeout(timer))
}
