import { InvalidConfigurationError } from '../errors.ts'
import { omitUndefined } from '../history/omit-undefined.ts'

/** The same options without what is undefined. */
export type Given<T> = { [K in keyof T]: Exclude<T[K], undefined> }

/** For adapters: options as they were given, without what is undefined, so that a default can stand in its place. @throws InvalidConfigurationError for what is no object, and for a `session` that is no text. */
export function givenOptions<T extends object>(options: T): Given<T> {
  if (typeof options !== 'object' || options === null)
    throw new InvalidConfigurationError(
      'options',
      options === null ? null : typeof options,
      'write { limits: { contextWindow: 200_000 } }, say, or leave them out',
    )
  const { session } = options as { readonly session?: unknown }
  if (session !== undefined && typeof session !== 'string') throw new InvalidConfigurationError('session', session, 'expected a text: String(id), say')
  return omitUndefined(options) as Given<T>
}
