import { InvalidConfigurationError } from '../errors.ts'
import { nearest } from '../policy/nearest.ts'

/** What to write for names that others use, or that belong elsewhere. */
export type Words = Readonly<Record<string, string>>

/**
 * For options that are nobody's but ours: what is passed over in silence would be done without.
 * @param of Whose options they are.
 * @param others Whether a name that looks like none of ours, and that nobody else is known to have, is let pass.
 * @throws InvalidConfigurationError for a name that is not one of them, with the one to write.
 */
export function onlyNames(of: string, options: object, names: readonly string[], words: Words = {}, others: 'refused' | 'passed' = 'refused'): void {
  if (typeof options !== 'object' || options === null) throw new InvalidConfigurationError(of, options, `expected an object with ${names.join(', ')}`)
  for (const [name, value] of Object.entries(options)) {
    if (value === undefined || names.includes(name)) continue
    const near = nearest(names, name)
    // A host's own "version" is no "session".
    const isOurs = others === 'refused' || near?.[0] === name[0]
    const meant = Object.hasOwn(words, name) ? words[name] : isOurs ? near : undefined
    if (meant === undefined && others === 'passed') continue
    throw new InvalidConfigurationError('option', name, `write ${meant ?? `one of ${names.join(', ')}`}`, `unknown option "${name}"${of && ` of ${of}`}`)
  }
}
