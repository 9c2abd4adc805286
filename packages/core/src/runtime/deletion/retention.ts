import { InvalidConfigurationError } from '../../errors.ts'

/** How long what is stored is kept after its last use: milliseconds, days, or false (`Infinity`): for ever. */
export type RetentionPeriod = number | { readonly days: number } | false

export const day = 86_400_000

/** Days that are usual where nobody says otherwise. */
export const usualRetention: RetentionPeriod = { days: 30 }

/** @returns milliseconds, > 0. @throws InvalidConfigurationError */
export function retentionTime(retention: RetentionPeriod): number {
  if (retention === false) return Infinity
  const time: unknown = typeof retention === 'number' ? retention : Number(Object(retention).days) * day
  if (typeof time === 'number' && time > 0) return time
  throw new InvalidConfigurationError('retention', retention, 'expected { days: 30 }, milliseconds more than 0, or false')
}
