import { createCompactor, InvalidConfigurationError } from '@precis/core'
import { givenOptions, withSharedStorage } from '@precis/core/adapters'
import { createRedactor } from '@precis/redaction'
import type { AgentItem } from '@precis/wire/openai-agents'
import type { CompactionOptions } from './door.ts'
import { expectKept, isExpected, noteShown, wasKept } from './layers.ts'
import { codecFor } from './protect.ts'
import { type RequestUsage, readUsage, summaryUsage } from './usage.ts'
import { guarded } from './warnings.ts'

/** What we use of the SDK's session. */
interface Store {
  readonly acceptsRunContext?: boolean
  getSessionId(): Promise<string>
  getItems(limit?: number, runContext?: unknown): Promise<AgentItem[]>
  addItems(items: AgentItem[], runContext?: unknown): Promise<void>
}

/** A session with a view: the store stays complete, the model is shown the compacted history. */
export type CompactionSessionView<S> = S & {
  /**
   * Called by the Runner at the end of each run; call it yourself to compact between runs, with `{ force: true }` whatever the level.
   * Never throws: an answer that was given must not be lost. @returns what a summary cost, for the run's usage.
   */
  runCompaction(args?: unknown, runContext?: unknown): Promise<{ readonly usage: RequestUsage } | null>
  readonly acceptsRunContext: true
}

/** Members that take a run context, and how many arguments stand before it. */
const beforeContext: Readonly<Record<string, number>> = {
  popItem: 0,
  clearSession: 0,
  replaceHistoryWithCompaction: 1,
  applyHistoryMutations: 1,
  applyHistoryTransaction: 1,
}
/** How the SDK reads and writes past `getItems` in sessions that compact by themselves. */
const hidden = new Set<string | symbol>(['getItemsWithCompactionOwnership', 'addItemsWithCompactionOwnership'])

/**
 * A session whose history is compacted between runs. Only `runCompaction` changes what is shown: within a run the Runner compares what it read with what it
 * stores. Every other member of the session is the store's own.
 */
export function compactionSession<S extends object>(store: S, options: CompactionOptions = {}): CompactionSessionView<S> {
  const { onWarning, protect, session: _own, ...rest } = givenOptions(options)
  const codec = codecFor({ protect, onWarning })
  const compactor = createCompactor<AgentItem>({ redact: createRedactor(), ...withSharedStorage(rest, 'view'), codec })
  const inner = store as unknown as Store
  if (typeof inner?.getSessionId !== 'function') throw new InvalidConfigurationError('store', store, 'expected a session such as new MemorySession()')
  const session = async () => compactor.session(await inner.getSessionId())
  // Only a store that asks for it is given the run's context.
  const contextFor = (runContext: unknown): [] | [unknown] => (inner.acceptsRunContext === true && runContext !== undefined ? [runContext] : [])
  const warn = guarded(onWarning)
  if ('runCompaction' in store) warn('The session compacts by itself (runCompaction); as the store of compactionSession it is only read and written.')
  let last: { readonly source: AgentItem[]; readonly shown: readonly AgentItem[] } | undefined

  const own = {
    acceptsRunContext: true,
    async getItems(limit?: number, runContext?: unknown): Promise<AgentItem[]> {
      const source = await inner.getItems(undefined, ...contextFor(runContext))
      const shown = rest.storage !== undefined && isExpected('view', await inner.getSessionId()) ? source : await (await session()).view(source)
      if (shown !== source) noteShown(shown, source, codec)
      last = { source, shown }
      // What is ours is handed out as a copy: the host may change what it was given.
      const theirs = new Set(source)
      const items = shown.map((item) => (theirs.has(item) ? item : structuredClone(item)))
      return limit === undefined ? items : limit <= 0 ? [] : items.slice(-limit)
    },
    async addItems(items: AgentItem[], runContext?: unknown): Promise<void> {
      // The Runner puts a history back as it read it when replacing it failed: what it read was the view.
      const whole = last !== undefined && sameItems(items, last.shown) ? last.source : items
      await inner.addItems(whole, ...contextFor(runContext))
    },
    async runCompaction(args?: unknown, runContext?: unknown): Promise<{ readonly usage: RequestUsage } | null> {
      try {
        const current = await session()
        const { usage } = (runContext ?? {}) as { readonly usage?: { readonly requestUsageEntries?: readonly RequestUsage[] } }
        const entry = usage?.requestUsageEntries?.findLast((one) => one.endpoint?.startsWith('compaction') !== true)
        current.afterModelCall({ usage: readUsage(entry) })
        const items = await inner.getItems(undefined, ...contextFor(runContext))
        const force = (args as { readonly force?: unknown } | undefined)?.force === true
        const isHeard = wasKept('view', items, codec)
        // Only the Runner hands over a context: what the host calls in between says nothing of a run.
        if (runContext !== undefined) expectKept('view', current.id, isHeard)
        if (isHeard && !force) return null
        const { report } = await (force ? current.compact(items) : current.beforeModelCall(items))
        const spent = summaryUsage(report.spent)
        return spent === undefined ? null : { usage: spent }
      } catch (error) {
        warn(`The session was not compacted: ${error instanceof Error ? error.message : String(error)}`)
        return null
      }
    },
  }
  return new Proxy(store, {
    get(target, name) {
      if (name in own) return own[name as keyof typeof own]
      if (hidden.has(name)) return undefined
      const value = Reflect.get(target, name, target) as unknown
      if (typeof value !== 'function' || name === 'constructor') return value
      const member = value as (...args: unknown[]) => unknown
      const plain = inner.acceptsRunContext === true ? undefined : beforeContext[String(name)]
      return (...args: unknown[]) => member.apply(target, plain === undefined ? args : args.slice(0, plain))
    },
    has: (target, name) => name in own || (!hidden.has(name) && Reflect.has(target, name)),
  }) as CompactionSessionView<S>
}

function sameItems(left: readonly AgentItem[], right: readonly AgentItem[]): boolean {
  return left.length === right.length && JSON.stringify(left) === JSON.stringify(right)
}
