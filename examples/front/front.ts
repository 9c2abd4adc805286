import {
  type CompactionReport,
  memoryStorage,
  type StorageDriver,
} from '@precis/core'
import { fileText } from './vaults.ts'

/** The window of every model here, and the longest reply, in Tokens. */
export const limits = { contextWindow: 12_000, maxOutput: 500 }

/** With nothing, with what the framework brings along, with Précis, with Précis without look-ups. */
export type Way = 'bare' | 'means' | 'precis' | 'off'

/** One tool of an agent: a name for something in, a text out. */
interface FrontTool {
  readonly name: string
  readonly description: string
  /** What its one argument is called. */
  readonly parameter: string
  execute(value: string): string
}

/** An agent besides its model. */
export interface Setting {
  readonly limits: typeof limits
  readonly tools: readonly FrontTool[]
  /** Its system prompt, or what it is for the next request. Default: none. */
  readonly instructions?: string | (() => string)
  /** It reads the answers of the AI SDK as they stream. */
  readonly streams?: boolean
  /** The process that the next request comes to: each has a model of its own, and ours around it. Default: always the same. */
  readonly process?: () => number
  /** Our options, besides those above. Default: a storage of its own. */
  readonly options?: OwnOptions
  readonly onReport?: (report: CompactionReport) => void
}

/** Of our options: what we are told of limits, whose storage it is, how long we wait for that, and who hears of it. */
interface OwnOptions {
  /** Undefined: nobody says. */
  readonly limits?: typeof limits | undefined
  readonly storage?: StorageDriver
  readonly effectDeadline?: number
  readonly onWarning?: () => void
}

/** The system prompt of the next request. */
export const instructionsOf = ({ instructions }: Setting) =>
  typeof instructions === 'function' ? instructions() : instructions

/** What each process has of its own, made when the first request comes to it. */
export function inEachProcess<T>(
  { process = () => 0 }: Setting,
  make: () => T,
): () => T {
  const made = new Map<number, T>()
  return () => {
    const at = process()
    const own = made.get(at) ?? make()
    made.set(at, own)
    return own
  }
}

/** Reads the files of the vaults. */
export const reading: Setting = {
  limits,
  tools: [
    {
      name: 'read_file',
      description: 'Reads a file.',
      parameter: 'path',
      execute: fileText,
    },
  ],
}

/** Our options in two of them. */
export const optionsOf = (
  way: 'precis' | 'off',
  { limits, options, onReport }: Setting,
) => ({
  limits,
  storage: memoryStorage(), // these conversations begin alike: each is for itself
  ...options,
  recall: way === 'off' ? ('off' as const) : ('on' as const),
  ...(onReport !== undefined && { onReport }),
})

/** One framework, as its users write an agent. */
export interface Front {
  readonly name: string
  /** Our line in it. Default: `withCompaction`. */
  readonly line?: string
  /** What it has itself for long conversations; undefined where another wire has shown it. */
  readonly means?: string
  /** @param setting Default: `reading`. */
  chat(way: Way, url: string, setting?: Setting): Chat
}

/** What a framework has seen so far: steps, and what they said, as JSON. */
interface Seen {
  readonly steps: number
  readonly bytes: number
}

/** One conversation: a request, an answer. */
interface Chat {
  ask(content: string): Promise<string>
  seen(): Seen
}

/** Counts what a framework hands its user. */
export function counter() {
  let seen: Seen = { steps: 0, bytes: 0 }
  return {
    seen: () => seen,
    see(steps: number, said: unknown) {
      const bytes = Buffer.byteLength(JSON.stringify(said))
      seen = { steps: seen.steps + steps, bytes: seen.bytes + bytes }
    },
  }
}
