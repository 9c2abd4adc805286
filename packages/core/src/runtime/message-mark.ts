import { InvalidConfigurationError } from '../errors.ts'
import { onlyNames, type Words } from './only-names.ts'

/**
 * Whether a host's mark on a message pins it: `{ protected: true }`.
 * @param of Where the mark stands, such as `providerOptions.precis`.
 * @throws InvalidConfigurationError for a mark that was meant to pin it and does not: what somebody wants kept would be summarized in silence.
 */
export function isPinned(mark: unknown, of: string): boolean {
  if (typeof mark !== 'object' || mark === null) return false
  const { protected: pinned } = mark as { readonly protected?: unknown }
  if (pinned != null && typeof pinned !== 'boolean') throw new InvalidConfigurationError(`${of}.protected`, pinned, 'write { protected: true }')
  onlyNames(of, mark, names, elsewhere, 'passed')
  return pinned === true
}

const names = ['protected', 'marker', 'summary']

const elsewhere: Words = { pinned: '{ protected: true }', pin: '{ protected: true }', protect: '{ protected: true }', keep: '{ protected: true }' }
