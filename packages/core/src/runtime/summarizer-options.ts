import { InvalidConfigurationError } from '../errors.ts'
import { kindOf, noModel } from './given-objects.ts'
import { aCount, anObject, checkGiven, type ValueRules } from './given-values.ts'

/** What the `modelSummarizer` of every adapter takes. */
interface Summarizing {
  readonly model: object
  readonly window?: unknown
}

/**
 * For adapters: what their `modelSummarizer` was given, with a model in it that has the method.
 * @param expected What a model is, and where it comes from.
 * @param rules Of the options that this adapter has beside the model and its window.
 * @param settings Of these the one that takes what is told to the model with each call.
 * @throws InvalidConfigurationError for a model alone, a name, or nothing: each summary would fail, one call after another.
 */
export function summarizerOptions<T extends Summarizing>(
  given: T,
  method: string,
  expected: string,
  rules: ValueRules<Omit<T, keyof Summarizing>>,
  settings: keyof T & string,
): T {
  const isBare = typeof given === 'string' || typeof Object(given)[method] === 'function'
  if (isBare || given === undefined)
    throw new InvalidConfigurationError('modelSummarizer', given, 'write modelSummarizer({ model })', `modelSummarizer was given ${kindOf(given)}`)
  if (typeof Object(given?.model)[method] !== 'function') throw noModel(given?.model, expected)
  const words = Object.fromEntries(['temperature', 'seed', 'topP', 'providerOptions'].map((name) => [name, `${settings}: { ${name} }`]))
  checkGiven<object>('modelSummarizer', given, { model: anObject(expected), window: aCount(1, 'expected tokens: 200_000, say'), ...rules }, words)
  return given
}
