import type { ModelLimits, Prices } from '@precis/core'
import { catalogDate, catalogLines } from './catalog.generated.ts'

/** Published figures of one model at one provider. */
export interface KnownModel {
  /** The provider whose row this is, as the catalog calls it. */
  readonly provider: string
  /** The model's id there. */
  readonly id: string
  readonly limits: ModelLimits
  /** List prices in US dollars per million Tokens. Absent: free, or not published. Where a provider has no price for cached Tokens, they cost what other input does. */
  readonly prices?: Prices
  /** What all Tokens of a prompt cost that is longer than `above` Tokens. */
  readonly longPrompt?: { readonly above: Tokens; readonly prices: Prices }
  /** Takes images; with `most`, at most so many in a request (in a message at Amazon Bedrock). */
  readonly images?: { readonly most?: number }
  /** Milliseconds for which a prompt stays cached after a call, where the provider states it. */
  readonly cacheTtl?: number
  /** The vocabulary of js-tiktoken that counts this model's Tokens, where it is published. */
  readonly tokenizer?: string
  /** Day of the catalog: `2026-11-10`. */
  readonly asOf: string
}

type Tokens = number

type Table = ReadonlyMap<string, KnownModel>

const tables = new Map<string, Table>()

/** What the catalog has under exactly this id at this provider; read on first use. */
export function rowOf(provider: string, id: string): KnownModel | undefined {
  return tableOf(provider)?.get(id)
}

function tableOf(provider: string): Table | undefined {
  if (!Object.hasOwn(catalogLines, provider)) return undefined
  const known = tables.get(provider)
  if (known !== undefined) return known
  const lines = (catalogLines[provider] ?? '').trim().split('\n')
  const table = new Map(lines.map((line) => entryOf(provider, line)).map((entry) => [entry.id, entry]))
  tables.set(provider, table)
  return table
}

function entryOf(provider: string, line: string): KnownModel {
  const [id = '', limits = '', prices = '', tier = '', images = '', cached = '', tokenizer = ''] = line.split('|')
  const [contextWindow = 0, maxInput = 0, maxOutput = 0] = limits.split(' ').map(Number)
  const maxMedia = images === '+' ? 0 : Number(images)
  const [above = 0, ...longer] = tier.split(' ').map(Number)
  return Object.freeze({
    provider,
    id,
    limits: Object.freeze({
      contextWindow,
      ...(maxInput > 0 && { maxInput }),
      ...(maxOutput > 0 && { maxOutput }),
      ...(maxMedia > 0 && provider !== perMessage && { maxMedia }),
    }),
    ...(prices !== '' && { prices: pricesOf(prices.split(' ').map(Number)) }),
    ...(above > 0 && { longPrompt: Object.freeze({ above, prices: pricesOf(longer) }) }),
    ...(images !== '' && { images: Object.freeze(maxMedia > 0 ? { most: maxMedia } : {}) }),
    ...(cached !== '' && { cacheTtl: Number(cached) * 1_000 }),
    ...(tokenizer !== '' && { tokenizer }),
    asOf: catalogDate,
  })
}

/** Limits the images of a message, not of a request. */
const perMessage = 'amazon-bedrock'

function pricesOf([input = 0, cacheRead = 0, cacheWrite = 0, output = 0]: readonly number[]): Prices {
  return Object.freeze({ input, cacheRead, cacheWrite, output })
}

/** Every row of the catalog, provider by provider. */
export function knownModels(): readonly KnownModel[] {
  return Object.keys(catalogLines).flatMap((provider) => [...(tableOf(provider)?.values() ?? [])])
}
