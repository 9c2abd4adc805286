import { InvalidConfigurationError } from '../../errors.ts'

/** How long what is stored is kept after its last use: milliseconds (a day or more), days, or false (`Infinity`): for ever. */
export type RetentionPeriod = number | { readonly days: number } | false

export const day = 86_400_000

/** Days that are usual where nobody says otherwise. */
export const usualRetention: RetentionPeriod = { days: 30 }

/** @returns milliseconds, > 0. @throws InvalidConfigurationError */
export function retentionTime(retention: RetentionPeriod): number {
  if (retention === false) return Infinity
  const { days, ...others } = Object(retention) as { readonly days?: unknown }
  const isDays = typeof days === 'number' && !Object.keys(others).length
  const [time, least] = isDays ? [days * day, 1] : [typeof retention === 'number' ? retention : 0, day]
  if (time >= least) return time
  throw new InvalidConfigurationError('retention', retention, 'write { days: 30 }, milliseconds of a day or more, or false')
}
