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
 * For adapters: our tools of the session that their `compactionTools` was given.
 * @throws InvalidConfigurationError for what has a session, and is none.
 */
export function toolsOf(session: { tools(): readonly ToolDefinition[] }, write: string): readonly ToolDefinition[] {
  if (typeof session?.tools === 'function') return session.tools()
  throw new InvalidConfigurationError('session', session, `write ${write}`, `compactionTools was given ${kindOf(session)}`)
}
