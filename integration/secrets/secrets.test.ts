import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createRedactor, formats, services } from '@precis/redaction'
import { lintSource } from '@secretlint/core'
import { creator as recommended } from '@secretlint/secretlint-rule-preset-recommend'
import { beforeAll, describe, expect, it } from 'vitest'
import { type Corpus, corpora } from './corpora.ts'
import { type Example, type Gitleaks, installGitleaks, version } from './gitleaks.ts'

// Secrets on corpora that are not ours: the examples of gitleaks' rules, made anew in each run, and code, logs and transcripts of others.

const redact = createRedactor()
const figures: string[] = []
const percent = (part: number, whole: number): string => `${((100 * part) / whole).toFixed(1)} %`

/** An example counts as found when nothing of its secrets is left. */
function isFound({ values = [], text }: Example, hidden: string): boolean {
  const secrets = values.map((value) => value.replace(/^["']|["']$/g, ''))
  return secrets.length === 0 ? hidden !== text : secrets.every((secret) => !hidden.includes(secret))
}

async function bySecretlint(content: string): Promise<string> {
  const { messages } = await lintSource({
    source: { content, filePath: 'log.txt', ext: '.txt', contentType: 'text' },
    options: { config: { rules: [{ id: '@secretlint/secretlint-rule-preset-recommend', rule: recommended }] } },
  } as never)
  return messages
    .toSorted((a, b) => b.range[0] - a.range[0])
    .reduce((text, { range: [from, to] }) => `${text.slice(0, from)}[secret]${text.slice(to)}`, content)
}

let gitleaks: Gitleaks
beforeAll(() => {
  gitleaks = installGitleaks()
}, 600_000)

describe(`the examples of gitleaks ${version}`, () => {
  it('are found: at least 98 % of them, and of the bare tokens among them', async () => {
    const real = gitleaks.examples.filter((example) => example.real && example.bare !== true)
    const bare = gitleaks.examples.filter((example) => example.bare === true)
    const innocent = gitleaks.examples.filter((example) => !example.real)
    expect(real.length).toBeGreaterThan(5_000)
    const count = (list: readonly Example[]): number => list.filter((example) => isFound(example, redact(example.text))).length
    let [others, othersBare] = [0, 0]
    for (const example of real) if (isFound(example, await bySecretlint(example.text))) others++
    for (const example of bare) if (isFound(example, await bySecretlint(example.text))) othersBare++
    const changed = innocent.filter((example) => redact(example.text) !== example.text).length
    figures.push(
      `| examples of gitleaks' rules | ${percent(count(real), real.length)} of ${real.length} | ${percent(others, real.length)} | 100 % (they are its own) |`,
      `| the bare tokens among them | ${percent(count(bare), bare.length)} of ${bare.length} | ${percent(othersBare, bare.length)} | 100 % |`,
      `| its examples of what is none, changed | ${changed} of ${innocent.length} | – | 0 |`,
    )
    expect(count(real) / real.length).toBeGreaterThanOrEqual(0.98)
    expect(count(bare) / bare.length).toBeGreaterThanOrEqual(0.98)
  })
})

describe('what holds no secrets is left alone, in time that grows with the text and no faster', () => {
  it.each(corpora())('$name: at most 1.3 changes per MB', ({ name, files }: Corpus) => {
    let [bytes, changes, milliseconds] = [0, 0, 0]
    for (const file of files) {
      const text = readFileSync(file, 'utf8')
      const start = process.cpuUsage().user
      const hidden = redact(text)
      milliseconds += (process.cpuUsage().user - start) / 1_000
      bytes += Buffer.byteLength(text)
      if (hidden !== text) changes += [...hidden.matchAll(/\[[a-z0-9-]+:[0-9a-f]{6}\]/g)].filter(([tag]) => !text.includes(tag)).length
    }
    const theirs = gitleaks.count(files)
    const each = (found: number): string => ((1e6 * found) / bytes).toFixed(2)
    const speed = bytes / 1_000 / milliseconds
    figures.push(
      `| ${name}, ${(bytes / 1e6).toFixed(0)} MB: changes per MB | ${each(changes)} (${speed.toFixed(0)} MB/s) | – | ${each(theirs.findings)} (${(bytes / 1_000 / theirs.milliseconds).toFixed(0)} MB/s) |`,
    )
    expect((1e6 * changes) / bytes).toBeLessThanOrEqual(1.3)
  })
  it('prints its figures', () => {
    const table = ['|  | `@precis/redaction` | secretlint 13, recommended | gitleaks |', '| --- | --- | --- | --- |', ...figures].join('\n')
    console.log(`${formats.length} formats, ${services.length} services\n${table}`)
    if (process.env['PRECIS_EVIDENCE'] !== '1') return
    const page = join(import.meta.dirname, '../../docs/evidence.md')
    const text = readFileSync(page, 'utf8')
    writeFileSync(
      page,
      text.replace(/(<!-- secrets: .*? -->\n)[\s\S]*?(<!-- \/secrets -->)/, `$1\n${formats.length} formats and ${services.length} services.\n\n${table}\n\n$2`),
    )
  })
})
