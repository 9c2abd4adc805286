import { catalogDate, catalogSource, type KnownModel, knownLimits, knownModel, knownModels } from '@precis/models'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

const rows = knownModels()
const ids = new Set(rows.map(({ id }) => id))

/**
 * What may stand around an id without making it another model, told apart from the code under test: an address, a region, a vendor before it; a day, a version,
 * `-latest`, a choice of servers, a fine-tuning behind it. Anthropic's ids have no dots, so gateways' dots are dashes.
 */
function isSpellingOf(written: string, { id, provider }: KnownModel): boolean {
  const plain = (text: string): string => (provider === 'anthropic' ? text.replaceAll('.', '-').replaceAll('@', '-') : text)
  const at = plain(written).lastIndexOf(plain(id))
  if (at < 0) return false
  const before = written.slice(0, at)
  const after = written.slice(at + id.length)
  return (
    /^$|[/:]$|^[a-z-]+\.$/.test(before) &&
    /^(?:-20\d\d-\d\d-\d\d|[-@]\d{8}|[-@]latest|@default|:(?:nitro|floor|online|thinking|exacto))?(?::[\w:.-]*)?$/.test(after)
  )
}

describe('the catalog', () => {
  it('says of when and of what it is', () => {
    expect(catalogDate).toMatch(/^20\d\d-\d\d-\d\d$/)
    expect(catalogSource).toMatch(/^@earendil-works\/pi-ai \d+\.\d+\.\d+$/)
    expect(rows.length).toBeGreaterThan(1_000)
    expect(new Set(rows.map(({ asOf }) => asOf))).toEqual(new Set([catalogDate]))
  })

  it('has no batch variants and no routers', () => {
    const left = rows.filter(({ id }) => id.endsWith('batch') || id.split('/').some((part) => /^(?:auto|routers)$|router$/.test(part)))
    expect(left.map(({ provider, id }) => `${provider} ${id}`)).toEqual([])
  })

  it('has only figures that can be meant', () => {
    for (const { limits, prices, longPrompt, cacheTtl, images, provider, id } of rows) {
      const { contextWindow, maxInput = contextWindow, maxOutput = contextWindow } = limits
      const whole = [contextWindow, maxInput, maxOutput, longPrompt?.above ?? 1, images?.most ?? 1, cacheTtl ?? 1]
      expect(
        whole.every((tokens) => Number.isInteger(tokens) && tokens > 0),
        `${provider} ${id}`,
      ).toBe(true)
      expect(Math.max(maxInput, maxOutput), `${provider} ${id}`).toBeLessThanOrEqual(contextWindow)
      for (const each of [prices, longPrompt?.prices]) {
        if (each === undefined) continue
        expect(Object.values(each).every((price) => price >= 0 && price < 2_000) && each.input + each.output > 0, `${provider} ${id}`).toBe(true)
      }
    }
  })

  it('knows the longest input of models that keep a part of their window for the reply', () => {
    expect(knownLimits('gpt-5')).toMatchObject({ contextWindow: 400_000, maxInput: 272_000, maxOutput: 128_000 })
    expect(knownLimits('gpt-6-sol')).toMatchObject({ contextWindow: 1_050_000, maxInput: 922_000, maxOutput: 128_000 })
    expect(knownLimits('gpt-4.1')).toEqual({ contextWindow: 1_047_576, maxOutput: 32_768, maxMedia: 1_500 })
  })

  it('knows how many attachments a request may have; at Amazon Bedrock, where the limit is one of a message, it states none', () => {
    expect(knownLimits('claude-sonnet-4-5')?.maxMedia).toBe(100)
    const id = 'us.anthropic.claude-sonnet-4-5-20250929-v1:0'
    expect(knownModel(id, { provider: 'amazon_bedrock' })).toMatchObject({ images: { most: 20 } })
    expect(knownLimits(id, { provider: 'amazon_bedrock' })).not.toHaveProperty('maxMedia')
  })

  it('states the window, not the length from which on a prompt costs more', () => {
    const found = rows.filter(({ provider, limits, longPrompt }) => provider === 'openai' && (longPrompt?.above ?? 0) >= limits.contextWindow)
    expect(found.map(({ id }) => id)).toEqual([])
    expect(knownModel('gpt-6-sol')?.longPrompt?.above).toBe(272_000)
  })

  it('lets a provider’s own row win for this provider', () => {
    expect(knownLimits('anthropic/claude-sonnet-4.5', { provider: 'openrouter' })?.contextWindow).toBe(1_000_000)
    expect(knownLimits('claude-sonnet-4-5')?.contextWindow).toBe(200_000)
    expect(knownLimits('openai/gpt-oss-120b', { provider: 'baseten' })?.contextWindow).toBe(128_072)
  })

  it('charges tokens without a price for the cache as other input', () => {
    expect(knownModel('gpt-5-pro')?.prices).toEqual({ input: 15, cacheRead: 15, cacheWrite: 15, output: 120 })
    expect(knownModel('claude-opus-5')?.prices).toEqual({ input: 5, cacheRead: 0.5, cacheWrite: 6.25, output: 25 })
  })

  it('cannot be changed by who reads it', () => {
    expect(Object.isFrozen(knownLimits('gpt-5'))).toBe(true)
    expect(Object.isFrozen(knownModel('gpt-5'))).toBe(true)
    expect(Object.isFrozen(knownModel('gpt-5')?.prices)).toBe(true)
  })
})

describe('look-ups', () => {
  it('every id of the catalog resolves to itself at its provider', () => {
    for (const row of rows) expect(knownModel(row.id, { provider: row.provider }), `${row.provider} ${row.id}`).toBe(row)
  })

  it('no id resolves to another model’s row, whoever serves it', () => {
    const providers = [undefined, ...new Set(rows.map(({ provider }) => provider)), 'our-proxy.chat']
    for (const { id } of rows) {
      for (const provider of providers) {
        const found = knownModel(id, provider === undefined ? {} : { provider })
        if (found !== undefined && !isSpellingOf(id, found)) expect.unreachable(`${provider} ${id} → ${found.provider} ${found.id}`)
      }
    }
  })

  it('an id with something before, behind or missing is another model, but for the spellings that are listed', () => {
    const row = fc.constantFrom(...rows)
    const piece = fc.oneof(
      fc.constantFrom('-mini', '-turbo', '-32k', '.1', '-pro', ':free', '-preview', '-0613', 'x', '/', ':', '@', '-latest', '-2026-01-01'),
      fc.string({ maxLength: 8 }),
    )
    const written = fc.oneof(
      fc.tuple(row, piece).map(([{ id }, more]) => id + more),
      fc.tuple(row, piece).map(([{ id }, more]) => more + id),
      fc.tuple(row, fc.nat(40)).map(([{ id }, at]) => id.slice(0, at)),
      fc.tuple(row, fc.nat(40)).map(([{ id }, at]) => id.slice(at)),
    )
    const provider = fc.option(fc.constantFrom(...new Set(rows.map((one) => one.provider))), { nil: undefined })
    fc.assert(
      fc.property(written, provider, (id, named) => {
        const found = knownModel(id, named === undefined ? {} : { provider: named })
        expect(found === undefined || ids.has(id) || isSpellingOf(id, found), `${id} → ${found?.provider} ${found?.id}`).toBe(true)
      }),
      { numRuns: 5_000 },
    )
  })

  it('any string is answered, by a row or by nothing', () => {
    const any = fc.string({ unit: 'binary', maxLength: 600 })
    fc.assert(
      fc.property(any, fc.option(any, { nil: undefined }), (id, provider) => {
        const found = knownModel(id, provider === undefined ? {} : { provider })
        expect(found === undefined || ids.has(found.id)).toBe(true)
      }),
      { numRuns: 500 },
    )
  })
})
