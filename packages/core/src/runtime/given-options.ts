import { InvalidConfigurationError } from '../errors.ts'
import { isRecord } from '../history/json.ts'
import { omitUndefined } from '../history/omit-undefined.ts'
import { aFlag, aFunction, aText, checkValues, oneOf } from './given-values.ts'
import { onlyNames, type Words } from './only-names.ts'

/** The same options without what is undefined. */
export type Given<T> = { [K in keyof T]: Exclude<T[K], undefined> }

/**
 * For adapters: options as they were given, without what is undefined, so that a default can stand in its place.
 * @param words What to write for options that the framework has and we have not.
 * @throws InvalidConfigurationError for what is no object or a promise, for a value that one of an adapter's own options cannot have, and for what stands at the
 * wrong level or is misspelt.
 */
export function givenOptions<T extends object>(options: T, words: Words = {}): Given<T> {
  if (typeof options !== 'object' || options === null)
    throw new InvalidConfigurationError(
      'options',
      options === null ? null : typeof options,
      'write { limits: { contextWindow: 200_000 } }, say, or leave them out',
    )
  if ('then' in options) throw new InvalidConfigurationError('options', 'a promise', 'write await loadConfig(…), say', 'options is a promise')
  const { limits, model } = options as { readonly limits?: unknown; readonly model?: unknown }
  if (isRecord(limits)) onlyNames('limits', limits, ['contextWindow', 'maxInput', 'maxOutput', 'maxMedia'], limitWords, 'passed')
  if (isRecord(model) && 'contextWindow' in model) onlyNames('', options, [], { model: 'limits: { contextWindow }' }, 'passed')
  onlyNames('', options, Object.keys(ownOptions), { ...fileWords, ...words }, 'passed')
  checkValues(options, ownOptions)
  return omitUndefined(options) as Given<T>
}

/** What adapters take beside the options of the core. Each lets the others' pass, so that one set of options can be given to all. */
const ownOptions = {
  session: aText('expected a text: String(id), say'),
  recall: oneOf('on', 'asked', 'tool', 'off'),
  onWarning: aFunction('write (warning) => console.warn(warning), say'),
  modelTools: aFlag,
  cacheToolOutputs: aFlag,
}

/** What a configuration file calls what code is given as objects and functions. */
const fileWords: Words = {
  redaction: 'redact: createRedactor() or false',
  encryption: 'storage: encryptedStorage(storage, keys)',
  telemetry: 'exporters: [consoleExporter()]',
  enabled: 'PRECIS_DISABLED=1 into the environment, which switches it off',
  disabled: 'PRECIS_DISABLED=1 into the environment',
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
