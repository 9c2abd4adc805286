import { InvalidConfigurationError } from '../errors.ts'
import type { ToolDefinition } from '../history/tool.ts'

/** What a value is, for an error: a text as it is; of an object its class, or which names it has, and never what they hold. */
export function kindOf(value: unknown): string {
  if (typeof value === 'string') return `"${value}"`
  if (typeof value === 'function') return value.name === '' ? 'a function' : `the function ${value.name}`
  if (typeof value !== 'object' || value === null) return String(value)
  if ('then' in value) return 'a promise that nobody awaited'
  const name: unknown = value.constructor?.name
  if (typeof name === 'string' && name !== 'Object') return `an object of the class ${name}`
  const names = Object.keys(value).slice(0, 4)
  return names.length === 0 ? 'an empty object' : `an object with ${names.join(', ')}`
}

/**
 * For adapters: what was given instead of a model.
 * @param expected What a model is, and where it comes from.
 */
export function noModel(model: unknown, expected: string): InvalidConfigurationError {
  const isArguments = Object.getPrototypeOf(Object(model)) === Object.prototype && Object.hasOwn(Object(model), 'model')
  return new InvalidConfigurationError('model', model, isArguments ? 'write (model, options), not ({ model, … })' : expected, `model is ${kindOf(model)}`)
}

/**
 * For adapters: what their `modelSummarizer` was given, with a model in it that has the method.
 * @throws InvalidConfigurationError for a model alone, a name, or nothing: each summary would fail, one call after another.
 */
export function summarizerOptions<T extends { readonly model: object }>(given: T, method: string, expected: string): T {
  if (typeof Object(Object(given).model)[method] === 'function') return given
  const isBare = typeof given === 'string' || typeof Object(given)[method] === 'function'
  if (isBare || given === undefined)
    throw new InvalidConfigurationError('modelSummarizer', given, 'write modelSummarizer({ model })', `modelSummarizer was given ${kindOf(given)}`)
  throw noModel(given?.model, expected)
}

/**
 * For adapters: our tools of the session that their `compactionTools` was given.
 * @throws InvalidConfigurationError for what has a session, and is none.
 */
export function toolsOf(session: { tools(): readonly ToolDefinition[] }, write: string): readonly ToolDefinition[] {
  if (typeof session?.tools === 'function') return session.tools()
  throw new InvalidConfigurationError('session', session, `write ${write}`, `compactionTools was given ${kindOf(session)}`)
}
