import { createCompactor, memoryStorage } from '@precis/core'
import { type AgentItem, createCodec } from './codec.ts'
import type { CompactionOptions } from './model.ts'
import { readUsage } from './usage.ts'

/** What we use of the SDK's session. */
interface Store {
  getSessionId(): Promise<string>
  getItems(limit?: number): Promise<AgentItem[]>
}

/** A session with a view: the store stays complete, the model is shown the compacted history. */
export type CompactionSessionView<S> = S & {
  /** Called by the Runner at the end of each run; call it yourself to compact now. Never throws: an answer that was given must not be lost. */
  runCompaction(args?: unknown, runContext?: unknown): Promise<null>
  readonly acceptsRunContext: true
}

/**
 * A session whose history is compacted between runs. Only `runCompaction` changes what is shown: within a run the Runner compares what it read with what it
 * stores. Every other member of the session is the store's own.
 */
export function compactionSession<S extends object>(store: S, options: CompactionOptions = {}): CompactionSessionView<S> {
  const { onReport, onWarning, protect, ...rest } = options
  const compactor = createCompactor<AgentItem>({ storage: memoryStorage(), ...rest, codec: createCodec(protect === undefined ? {} : { protect }) })
  const inner = store as unknown as Store
  const session = async () => compactor.session(await inner.getSessionId())

  const getItems = async (limit?: number): Promise<AgentItem[]> => {
    const shown = await (await session()).view(await inner.getItems())
    return limit === undefined ? [...shown] : shown.slice(-limit)
  }
  const runCompaction = async (_args?: unknown, runContext?: unknown): Promise<null> => {
    try {
      const own = await session()
      const entries = (runContext as { readonly usage?: { readonly requestUsageEntries?: readonly { readonly endpoint?: string }[] } } | undefined)?.usage
        ?.requestUsageEntries
      const last = entries?.findLast((entry) => entry.endpoint?.startsWith('compaction') !== true)
      own.afterModelCall({ usage: readUsage(last) })
      const { report } = await own.beforeModelCall(await inner.getItems())
      onReport?.(report)
    } catch (error) {
      onWarning?.(`The session was not compacted: ${error instanceof Error ? error.message : String(error)}`)
    }
    return null
  }
  return new Proxy(store, {
    get(target, name) {
      if (name === 'getItems') return getItems
      if (name === 'runCompaction') return runCompaction
      if (name === 'acceptsRunContext') return true
      const value = Reflect.get(target, name, target) as unknown
      return typeof value === 'function' && name !== 'constructor' ? (value as (...args: unknown[]) => unknown).bind(target) : value
    },
    has: (target, name) => name === 'runCompaction' || name === 'acceptsRunContext' || Reflect.has(target, name),
  }) as CompactionSessionView<S>
}
