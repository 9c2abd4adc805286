import { CompactionError, InsufficientBudgetError, InvalidConfigurationError } from '../../../errors.ts'
import { omitUndefined } from '../../../history/omit-undefined.ts'
import type { CompactionPlan } from '../../../plan/compaction-plan.ts'
import type { CompactionReport } from '../../../plan/report.ts'
import { balanced } from '../../../policy/presets/balanced.ts'
import { orAborted } from '../../platform/abort.ts'
import { isDisabled } from '../../platform/disabled.ts'
import { errorName } from '../../platform/error-name.ts'
import type { Emitter } from '../../telemetry/emitter.ts'
import { reportOf } from '../receipt.ts'
import type { BackgroundCompaction, CompactionSession, ModelCall, Prepared } from '../session-types.ts'

/**
 * Runs work of ours that a host's request depends on. What the caller has to know passes: InsufficientBudgetError, InvalidConfigurationError, the reason of
 * an aborted `signal`. Anything else that is thrown is a fault of ours, which must not end a run: it is said once, and `asItCame` is the result.
 * With `PRECIS_DISABLED` the work is not begun.
 *
 * @param asItCame - What the host would have had without us; is told why.
 */
export type Guard = <T>(work: () => T | Promise<T>, asItCame: (warning: string) => T, signal?: AbortSignal) => Promise<T>

export interface Guarding {
  readonly guard: Guard
  /** Calls the host's own function; what it throws is not the run's. */
  report(report: CompactionReport): void
  /** Notes a fault: an event, and where nobody listens for those, one line on the console. */
  fault(what: string, error: unknown): string
}

const saidOf: Readonly<Record<string, string>> = {
  request: 'the request went out as it came',
  usage: 'a usage could not be read',
  receipt: 'onReport threw',
}

const switchedOff = 'Précis is switched off (PRECIS_DISABLED): the request went out as it came'

export function createGuard(emitter: Emitter, onReport: ((report: CompactionReport) => void) | undefined): Guarding {
  let warned = emitter.heard
  const fault: Guarding['fault'] = (what, error) => {
    // The message of a foreign error may hold words of the conversation; a name and a place do not.
    const reason = CompactionError.isInstance(error) ? error.message : errorName(error)
    const warning = `${saidOf[what] ?? `${what} failed`}: ${reason}`
    emitter.emit('', [{ event: 'compact.fault', severity: 'high', attributes: { what, reason: errorName(error) } }])
    if (!warned) globalThis.console?.warn(`[precis] ${warning}${placeOf(error)}`)
    warned = true
    return warning
  }
  return {
    fault,
    async report(report) {
      try {
        await onReport?.(report)
      } catch (error) {
        fault('receipt', error)
      }
    },
    async guard(work, asItCame, signal) {
      if (isDisabled()) return asItCame(switchedOff)
      try {
        return await work()
      } catch (error) {
        if (signal?.aborted === true || InsufficientBudgetError.isInstance(error) || InvalidConfigurationError.isInstance(error)) throw error
        return asItCame(fault('request', error))
      }
    },
  }
}

/** Where it was thrown, for a report of the bug. */
function placeOf(error: unknown): string {
  const line = /^\s+(at .*)/m.exec(Object(error).stack)?.[1]
  return line ? ` (${line})` : ''
}

/** A session whose faults are not the agent's. Calls that a person makes (`plan`, `handoff`, `rewind`) throw what they throw. */
export function guardedSession<M>(session: CompactionSession<M>, { guard, report, fault }: Guarding): CompactionSession<M> {
  const told = (result: Prepared<M>, { model, recall }: ModelCall): Prepared<M> => {
    const named = { ...result.report, ...omitUndefined({ session: session.id, model: model ?? undefined, recall }) }
    report(named)
    return { ...result, report: named }
  }
  const prepared = async (history: readonly M[], call: ModelCall, work: () => Promise<Prepared<M>>): Promise<Prepared<M>> => {
    const { signal } = call
    const made = await guard(
      () => orAborted(work(), signal),
      (warning) => ({ messages: history, report: untouched(history.length, warning) }),
      signal,
    )
    return isDisabled() ? made : told(made, call)
  }
  const nothing: BackgroundCompaction = { done: Promise.resolve(false), abort: () => {} }
  return {
    ...session,
    beforeModelCall: (history, call = {}) => prepared(history, call, () => session.beforeModelCall(history, call)),
    compact: (history, options = {}) => prepared(history, options, () => session.compact(history, options)),
    view: (history) =>
      guard(
        () => session.view(history),
        () => history,
      ),
    async recover(history, error, call = {}) {
      const { signal } = call
      const result = await guard(
        () => orAborted(session.recover(history, error, call), signal),
        () => undefined,
        signal,
      )
      return result && told(result, call)
    },
    afterModelCall(outcome) {
      if (isDisabled()) return
      try {
        session.afterModelCall(outcome)
      } catch (error) {
        fault('usage', error)
      }
    },
    schedule: async (request) => (isDisabled() ? undefined : session.schedule(request)),
    background: (history, call) => (isDisabled() ? nothing : session.background(history, call)),
    compactAhead: async (history, call) => (isDisabled() ? 'nothing' : orAborted(session.compactAhead(history, call), call?.signal)),
    handoff: (history, options) => orAborted(session.handoff(history, options), options?.signal),
    tools: () => (isDisabled() ? [] : session.tools()),
  }
}

const noRegions = { system: 0, tools: 0, memory: 0, pinned: 0, summary: 0, history: 0, recent: 0, input: 0 }

/** The receipt of a request that nobody looked at: every message is kept, nothing was counted. */
function untouched(length: number, warning: string): CompactionReport {
  const plan: CompactionPlan = {
    decision: { action: 'none', reason: 'none', used: 0, usable: null, target: 0 },
    keep: [...Array(length).keys()],
    edits: [],
    summarize: [],
    drop: [],
    represented: [],
    repairs: [],
    regions: { before: noRegions, after: noRegions },
    tokens: { before: 0, after: 0 },
    prefix: 0,
    retained: { turns: 0, toolPairs: 0, pinned: 0 },
    warnings: [],
  }
  const measured = { total: 0, regions: noRegions }
  return reportOf({ plan, input: { policy: balanced }, measured, outcome: 'unchanged', warnings: [warning], duration: 0 })
}
