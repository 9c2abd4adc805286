import { readdirSync, readFileSync } from 'node:fs'
import { type PresetName, presets } from '@precis/core'
import { describe, expect, it } from 'vitest'

const root = new URL('../../../../', import.meta.url)
const read = (path: string): string => readFileSync(new URL(path, root), 'utf8')
const files = { pivot: 'pivot', cacheAware: 'cache-aware', layered: 'layered', outputCache: 'output-cache' } as const

/** The rows of the table: name, words, field, value, number of the row that tests it. */
const rows = read('docs/systems.md')
  .split('\n')
  .flatMap((line) => {
    const [, preset, says, field, value, row] = /^\| `(\w+)` +\| (.+?) +\| `([^`]+)` +\| `([^`]+)` +\| +(\d+) \|$/.exec(line) ?? []
    return preset === undefined ? [] : [{ preset: preset as PresetName, says: says ?? '', field: field ?? '', value: value ?? '', row: Number(row) }]
  })
const at = (place: unknown, path: string): unknown =>
  path.split('.').reduce<unknown>((value, name) => (value as Readonly<Record<string, unknown>> | undefined)?.[name], place)

describe('every number of the five documents', () => {
  it('the table is read whole, with each preset in it', () => {
    expect(rows.length).toBeGreaterThan(75)
    expect(new Set(rows.map(({ preset }) => preset))).toEqual(new Set(Object.keys(presets).filter((name) => name !== 'balanced')))
  })
  it.each(rows)('$preset: $says', ({ preset, field, value, row }) => {
    if (/\/|\.config\.ts$/.test(field)) expect(read(field)).toContain(value)
    else expect(at(presets[preset], field)).toEqual(JSON.parse(value))
    const file = files[preset as keyof typeof files] ?? 'calibrated'
    const tests = readdirSync(import.meta.dirname).filter((name) => name === `${file}.test.ts` || (name.startsWith(`${file}-`) && name.endsWith('.test.ts')))
    expect(tests.map((name) => read(`packages/core/test/systems/${name}`)).join('\n')).toContain(`it('${row}. `)
  })
})
