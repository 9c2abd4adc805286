import { InvalidConfigurationError } from '../errors.ts'
import { omitUndefined } from '../history/omit-undefined.ts'
import { onlyNames, type Words } from './only-names.ts'

/** The same options without what is undefined. */
export type Given<T> = { [K in keyof T]: Exclude<T[K], undefined> }

/**
 * For adapters: options as they were given, without what is undefined, so that a default can stand in its place.
 * @param words What to write for options that the framework has and we have not.
 * @throws InvalidConfigurationError for what is no object or a promise, for a `session` that is no text, and for what stands at the wrong level.
 */
export function givenOptions<T extends object>(options: T, words: Words = {}): Given<T> {
  if (typeof options !== 'object' || options === null)
    throw new InvalidConfigurationError(
      'options',
      options === null ? null : typeof options,
      'write { limits: { contextWindow: 200_000 } }, say, or leave them out',
    )
  if ('then' in options) throw new InvalidConfigurationError('options', 'a promise', 'write await loadConfig(…), say', 'options is a promise')
  const { session, limits } = options as { readonly session?: unknown; readonly limits?: unknown }
  if (session !== undefined && typeof session !== 'string') throw new InvalidConfigurationError('session', session, 'expected a text: String(id), say')
  if (typeof limits === 'object' && limits !== null) onlyNames('limits', limits, ['contextWindow', 'maxInput', 'maxOutput'], limitWords, 'passed')
  onlyNames('', options, [], words, 'passed')
  return omitUndefined(options) as Given<T>
}

/** What providers and catalogs call them. */
const limitWords: Words = {
  window: 'contextWindow',
  contextLength: 'contextWindow',
  context: 'contextWindow',
  maxTokens: 'maxOutput, or contextWindow for both together',
  maxInputTokens: 'maxInput',
  input: 'maxInput',
  maxOutputTokens: 'maxOutput',
  output: 'maxOutput',
}

/** The name of a conversation: a text, or a number, as databases have them, as one. @throws InvalidConfigurationError for anything else. */
export function sessionName(id: unknown, field: string): string | undefined {
  if (id === undefined || typeof id === 'string') return id
  if (typeof id === 'bigint' || Number.isFinite(id)) return String(id)
  throw new InvalidConfigurationError(field, id, 'expected a text: String(id), say')
}
