import type { CompactionReport, ModelCall } from '@precis/core'
import type { ServedModel } from './hearing.ts'

/** Models that answer in the place of others: what is sent to one that failed shall fit into the one that is asked next. */
export interface StandIns {
  /** Of the model of a call and the one that answered last in its place, the call of the one with less room. */
  narrowest<C extends ModelCall>(thread: string, call: C): C
  /** What fits into the model that a request was prepared for. */
  measured(call: ServedModel, report: CompactionReport): void
  /** @param model - Undefined: the call's own. */
  answered(thread: string, call: ServedModel, model: ServedModel | undefined): void
}

/** Calls whose stand-in is remembered. */
const mostCalls = 1_000

export function createStandIns(): StandIns {
  const [budgets, inPlaceOf] = [new Map<string, number>(), new Map<string, ServedModel>()]
  const room = (model: ServedModel): number => budgets.get(nameOf(model)) ?? Infinity
  return {
    narrowest(thread, call) {
      const other = inPlaceOf.get(keyOf(thread, call))
      return other !== undefined && room(other) < room(call) ? { ...call, ...other } : call
    },
    measured(call, { tokens: { budget } }) {
      if (budget !== null) budgets.set(nameOf(call), budget)
    },
    answered(thread, call, model) {
      if (inPlaceOf.size >= mostCalls) inPlaceOf.clear()
      if (model === undefined) inPlaceOf.delete(keyOf(thread, call))
      else inPlaceOf.set(keyOf(thread, call), model)
    },
  }
}

const keyOf = (thread: string, call: ServedModel): string => `${nameOf(call)} ${thread}`
const nameOf = ({ endpoint, model }: ServedModel): string => `${endpoint} ${model}`
