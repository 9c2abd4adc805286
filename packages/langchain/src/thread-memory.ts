import type { BaseMessage } from '@langchain/core/messages'
import type { StorageDriver } from '@precis/core'
import { conversationIds, withKnown } from '@precis/core/adapters'
import { messageCodec } from './codec.ts'
import type { CompactionOptions } from './seam.ts'
import type { ThreadState } from './thread-state.ts'

/** What threads remember in this process, where no checkpointer and no storage of the host's does. */
export interface ThreadMemory {
  /** @param thread - Its name; undefined for one that nobody named. */
  get(thread: string | undefined, history: readonly BaseMessage[]): Promise<ThreadState | undefined>
  /** Beside what others that begin alike remember. */
  add(thread: string | undefined, history: readonly BaseMessage[], known: ThreadState): Promise<void>
}

/**
 * Hosts make an agent anew for each request: what was made alike goes on where the one before it was. A thread is known by its name and its beginning, as agents that
 * call one another share the name and say different things.
 *
 * @param storage - What all that is made alike has.
 * @returns undefined where the host says where to keep things.
 */
export function createThreadMemory(options: CompactionOptions, storage: StorageDriver | undefined): ThreadMemory | undefined {
  if (storage === undefined || storage === options.storage) return undefined
  const keys = (thread = '', history: readonly BaseMessage[] = []): string[] =>
    conversationIds(history, messageCodec).map((beginning) => `threads/${beginning}/${thread}`)
  const read = async (key: string): Promise<ThreadState | undefined> => {
    const found = await storage.get(key)
    return found && (JSON.parse(found.body) as ThreadState)
  }
  return {
    async get(thread, history) {
      for (const key of keys(thread, history)) {
        const found = await read(key)
        if (found !== undefined) return found
      }
      return undefined
    },
    async add(thread, history, known) {
      const [key = ''] = keys(thread, history)
      const before = (await read(key))?.state
      const state = known.state && before ? { ...withKnown(before, known.state), calibration: known.state.calibration } : known.state
      await storage.put(key, JSON.stringify({ ...known, state }))
    },
  }
}

/**
 * Whether a checkpointer keeps the state of the graph, and with it what its threads remember: rewinding the graph rewinds that. Of a graph inside another it keeps
 * nothing between two calls.
 */
export function isCheckpointed(configurable: Readonly<Record<string, unknown>> = {}): boolean {
  return configurable['__pregel_checkpointer'] !== undefined && !String(configurable['checkpoint_ns'] ?? '').includes('|')
}
