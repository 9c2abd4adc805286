import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { builtInEstimator } from '@precis/core'
import { encode } from 'gpt-tokenizer/encoding/o200k_base'
import { readTranscripts } from '../evals/sessions/transcripts.ts'

const root = join(import.meta.dirname, '..')
const piece = 600 // characters; errors of single pieces are what a budget meets

/** Error of the built-in estimator against o200k_base, per kind of text: of the whole, and of pieces of 600 characters. */
export function estimatorErrors(): readonly Record<string, unknown>[] {
  return [...texts()].map(([kind, text]) => {
    const pieces = Array.from({ length: Math.floor(text.length / piece) }, (_, at) => text.slice(at * piece, (at + 1) * piece))
    const errors = pieces.map((part) => builtInEstimator.count(part) / exact(part) - 1).sort((a, b) => a - b)
    const percent = (value: number | undefined): string => `${((value ?? 0) * 100).toFixed(1)} %`
    return {
      text: kind,
      characters: text.length,
      whole: percent(builtInEstimator.count(text) / exact(text) - 1),
      'mean of pieces': percent(errors.reduce((sum, error) => sum + Math.abs(error), 0) / Math.max(1, errors.length)),
      'worst 5 % under': percent(errors[Math.floor(errors.length * 0.05)]),
      'characters ÷ 4': percent(text.length / 4 / exact(text) - 1),
    }
  })
}

const exact = (text: string): number => encode(text, { disallowedSpecial: new Set() }).length

/** What others wrote, or our own tools: not what is measured. */
const generated = /^(?:node_modules|api|packages|\.vitepress)\//

function* texts(): Generator<readonly [string, string]> {
  const files = (folder: string, ending: string): string =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith(ending) && !generated.test(file))
      .sort()
      .map((file) => readFileSync(join(root, folder, file), 'utf8'))
      .join('\n')
  yield ['prose (our documents)', files('docs', '.md') + readFileSync(join(root, 'README.md'), 'utf8')]
  yield ['code (our sources)', files('packages/core/src', '.ts')]
  yield ['YAML (our lockfile)', readFileSync(join(root, 'pnpm-lock.yaml'), 'utf8').slice(0, 200_000)]
  // Messages of a validation library in many languages: short sentences between quotes.
  const locales = join(dirname(createRequire(join(root, 'examples/package.json')).resolve('zod/package.json')), 'v4/locales')
  for (const [name, locale] of [
    ['Chinese', 'zh-CN'],
    ['Japanese', 'ja'],
    ['Korean', 'ko'],
    ['Russian', 'ru'],
    ['Arabic', 'ar'],
    ['German', 'de'],
    ['Thai', 'th'],
    ['Khmer', 'km'],
    ['Hebrew', 'he'],
    ['Hindi', 'hi'],
    ['Vietnamese', 'vi'],
    ['Georgian', 'ka'],
  ] as const) {
    const quoted = readFileSync(join(locales, `${locale}.js`), 'utf8').match(/(["'`])(?:(?!\1)[^\\])*?[\u0080-\uffff](?:(?!\1)[^\\])*\1/g) ?? []
    yield [`${name} (messages of zod)`, quoted.map((text) => text.slice(1, -1)).join('\n')]
  }
  const byRole = new Map<string, string>()
  for (const { messages } of readTranscripts())
    for (const { role, content } of messages) byRole.set(role, `${byRole.get(role) ?? ''}${content.slice(0, 4_000)}\n`)
  for (const [role, text] of byRole) yield [`transcripts, ${role}`, text.slice(0, 1_500_000)]
}
