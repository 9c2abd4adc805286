import { InvalidConfigurationError, type TokenEstimator } from '@precis/core'
import { bytePairCounter } from './byte-pairs.ts'
import { guarded } from './guard.ts'

/** Vocabularies of OpenAI's models: `o200k_base` since GPT-4o, `cl100k_base` before. Other providers have their own, which they do not publish: calibration is for them. */
export type EncodingName = 'o200k_base' | 'cl100k_base'

/** Counts exactly as js-tiktoken does, by its vocabulary. Loads that when called, not before. */
export async function tiktokenEstimator(encoding: EncodingName = 'o200k_base'): Promise<TokenEstimator> {
  const ranks = { o200k_base: () => import('js-tiktoken/ranks/o200k_base'), cl100k_base: () => import('js-tiktoken/ranks/cl100k_base') }
  const { default: vocabulary } = await known(ranks, encoding)()
  // Special tokens are not asked for: what looks like one is text.
  return estimator(`tiktoken:${encoding}`, bytePairCounter(vocabulary))
}

/** The same counts by gpt-tokenizer, which is installed beside this package. Loads it when called, not before. */
export async function gptTokenizerEstimator(encoding: EncodingName = 'o200k_base'): Promise<TokenEstimator> {
  const modules = { o200k_base: () => import('gpt-tokenizer/encoding/o200k_base'), cl100k_base: () => import('gpt-tokenizer/encoding/cl100k_base') }
  const { countTokens } = await known(modules, encoding)()
  const asText = { disallowedSpecial: new Set<string>() }
  return estimator(`gpt-tokenizer:${encoding}`, (text) => countTokens(text, asText))
}

function known<T>(table: Readonly<Record<EncodingName, T>>, encoding: EncodingName): T {
  const found = Object.hasOwn(table, encoding) ? table[encoding] : undefined
  if (found === undefined) throw new InvalidConfigurationError('encoding', encoding, `expected one of ${Object.keys(table).join(', ')}`)
  return found
}

function estimator(name: string, count: (text: string) => number): TokenEstimator {
  const safe = guarded(count)
  return { name, count: (text) => (text === '' ? 0 : safe(text)) }
}
