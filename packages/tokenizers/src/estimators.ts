import { CompactionError, InvalidConfigurationError, type TokenEstimator } from '@precis/core'
import { guarded } from './guard.ts'

/** Vocabularies of OpenAI's models: `o200k_base` since GPT-4o, `cl100k_base` before. Other providers have their own, which they do not publish: calibration is for them. */
export type EncodingName = 'o200k_base' | 'cl100k_base'

/** Counts exactly as js-tiktoken does. Loads it and its vocabulary (about 150 MB of memory, more than a second) when called, not before. */
export async function tiktokenEstimator(encoding: EncodingName = 'o200k_base'): Promise<TokenEstimator> {
  const ranks = { o200k_base: () => import('js-tiktoken/ranks/o200k_base'), cl100k_base: () => import('js-tiktoken/ranks/cl100k_base') }
  const [{ Tiktoken }, { default: vocabulary }] = await Promise.all([import('js-tiktoken/lite'), known(ranks, encoding)()])
  const tokenizer = new Tiktoken(vocabulary)
  // Nothing is allowed and nothing forbidden: what looks like a special token is text.
  return estimator(`tiktoken:${encoding}`, (text) => tokenizer.encode(text, [], []).length)
}

/** The same counts several times faster, by gpt-tokenizer, which is installed beside this package. Loads it when called, not before. @throws CompactionError if it cannot be loaded. */
export async function gptTokenizerEstimator(encoding: EncodingName = 'o200k_base'): Promise<TokenEstimator> {
  const { countTokens } = await gptTokenizer(known({ o200k_base: true, cl100k_base: false }, encoding))
  const asText = { disallowedSpecial: new Set<string>() }
  return estimator(`gpt-tokenizer:${encoding}`, (text) => countTokens(text, asText))
}

/** Awaited in the body of a `try`: only there do all bundlers pass over a package that is not installed. A program that takes the other estimator need not have it. */
async function gptTokenizer(isNewer: boolean) {
  try {
    return isNewer ? await import('gpt-tokenizer/encoding/o200k_base') : await import('gpt-tokenizer/encoding/cl100k_base')
  } catch (error) {
    throw new CompactionError(`gptTokenizerEstimator needs the package gpt-tokenizer 4: npm install gpt-tokenizer@4 (${(error as Error).message})`, {
      cause: error,
    })
  }
}

function known<T>(table: Readonly<Record<EncodingName, T>>, encoding: EncodingName): T {
  const found = Object.hasOwn(table, encoding) ? table[encoding] : undefined
  if (found === undefined) throw new InvalidConfigurationError('encoding', encoding, `expected one of ${Object.keys(table).join(', ')}`)
  return found
}

/** Characters of a text that is remembered: a piece of a long run. */
const longestRemembered = 256

/** Counts the same short text twice in a row once: all pieces of a long run of one character are the same. */
export function onceInARow(count: (text: string) => number): (text: string) => number {
  let [last, tokens] = ['', 0]
  return (text) => {
    if (text.length > longestRemembered) return count(text)
    if (text !== last) [last, tokens] = [text, count(text)]
    return tokens
  }
}

function estimator(name: string, count: (text: string) => number): TokenEstimator {
  const safe = guarded(onceInARow(count))
  return { name, count: (text) => (text === '' ? 0 : safe(text)) }
}
