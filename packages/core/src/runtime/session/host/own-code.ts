import { InvalidConfigurationError } from '../../../errors.ts'
import type { PartitionRule } from '../../../partition/rule.ts'
import type { CustomRung } from '../../../prune/custom-rung.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Guarding } from './guard.ts'

/** Calls a function of the host. Where it throws, there is no result, and that is said once for each name. */
export type Tried = <T>(what: string, work: () => T) => T | undefined

export function createTried(fault: Guarding['fault']): Tried {
  const told = new Set<string>()
  return (what, work) => {
    try {
      return work()
    } catch (error) {
      const isNews = !told.has(what)
      // Before it is said: an event has a time, and the clock may be what fails.
      told.add(what)
      if (isNews) fault(what, error)
      return undefined
    }
  }
}

/**
 * What an option is, or what its function returned.
 * @throws InvalidConfigurationError for a promise: nobody waits for it. Where it fails, that is no fault of the process.
 */
export function atOnce<T>(option: string, given: T): T {
  if (typeof Object(given).then !== 'function') return given
  Promise.resolve(given).catch(() => {})
  throw new InvalidConfigurationError(option, 'a promise', `write ${option}: await load(…), or return at once`, `${option} returned a promise`)
}

/** The host's own rungs and rules, so that a fault of theirs changes nothing but what they were asked. */
export function ownCode(
  { rungs, partition }: { readonly rungs?: readonly CustomRung[] | undefined; readonly partition?: readonly PartitionRule[] | undefined },
  tried: Tried,
): { readonly rungs: readonly CustomRung[] | undefined; readonly rules: readonly PartitionRule[] | undefined } {
  return {
    rungs: rungs?.map((rung) => ({
      name: rung.name,
      shorten: (output) => tried(`rung ${rung.name}`, () => atOnce(`rung ${rung.name}`, rung.shorten(output))),
    })),
    rules: partition?.map((rule) => ({
      name: rule.name,
      keeps: (messages) => tried(`rule ${rule.name}`, () => atOnce(`rule ${rule.name}`, rule.keeps(messages))) === true,
    })),
  }
}

const systemClock: Clock = { now: () => Date.now(), id: () => crypto.randomUUID() }

/** The host's clock, and the machine's where there is none, it fails, or what it says is no time. */
export function ownClock(clock: Clock = systemClock, tried: Tried): Clock {
  return {
    now: () => tried('clock', () => Date.parse(new Date(clock.now()).toISOString())) ?? systemClock.now(),
    id: () => tried('clock', () => clock.id()) ?? systemClock.id(),
  }
}
