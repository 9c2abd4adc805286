import type { PartitionRule } from '../../partition/rule.ts'
import type { CustomRung } from '../../prune/custom-rung.ts'
import { errorName } from '../platform/error-name.ts'
import type { Emitter } from '../telemetry/emitter.ts'

/** The host's own rungs and rules, so that a fault of theirs changes nothing but what they were asked. */
export function ownCode(
  { rungs, partition }: { readonly rungs?: readonly CustomRung[]; readonly partition?: readonly PartitionRule[] },
  emitter: Emitter,
): { readonly rungs: readonly CustomRung[] | undefined; readonly rules: readonly PartitionRule[] | undefined } {
  const tried = <T>(what: string, work: () => T, otherwise: T): T => {
    try {
      return work()
    } catch (error) {
      emitter.emit('', [{ event: 'compact.fault', severity: 'warning', attributes: { what, reason: errorName(error) } }])
      return otherwise
    }
  }
  return {
    rungs: rungs?.map((rung) => ({ name: rung.name, shorten: (output) => tried(`rung ${rung.name}`, () => rung.shorten(output), undefined) })),
    rules: partition?.map((rule) => ({ name: rule.name, keeps: (messages) => tried(`rule ${rule.name}`, () => rule.keeps(messages) === true, false) })),
  }
}
