import { type Breakers, hasFailed, type Writer } from '../../breaker.ts'

/** A request begins: while it is under way the others go on without, if this one is the trial after a minute. */
export function begun(breakers: Breakers, model: Writer, now: number): void {
  const before = breakers.failed.get(model)
  if (before !== undefined && hasFailed(breakers, model)) breakers.failed.set(model, { ...before, at: now })
}

/** A request is over: one success forgives what failed before. */
export function ended({ failed }: Breakers, model: Writer, isFailure: boolean, now: number): void {
  if (isFailure) failed.set(model, { failures: (failed.get(model)?.failures ?? 0) + 1, at: now })
  else failed.delete(model)
}
