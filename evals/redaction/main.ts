// Does redaction find what it claims to, and does it leave the rest alone? Our rules beside secretlint's recommended ones, on the same examples.

import { type RedactionRule, redactorOf, type SecretFinder } from '@precis/core'
import { createRedactor, personalRules, secretRules } from '@precis/redaction'
import { lintSource } from '@secretlint/core'
import { creator as recommended } from '@secretlint/secretlint-rule-preset-recommend'
import { type Example, negatives, positives } from './corpus.ts'

type Subject = (text: string) => Promise<string> | string

/** What secretlint reports is taken out. */
async function bySecretlint(text: string): Promise<string> {
  const { messages } = await lintSource({
    source: { content: text, filePath: 'log.txt', ext: '.txt', contentType: 'text' },
    options: { config: { rules: [{ id: '@secretlint/secretlint-rule-preset-recommend', rule: recommended }] } },
  } as never)
  return messages
    .map(({ range }) => range)
    .toSorted(([a], [b]) => b - a)
    .reduce((result, [from, to]) => `${result.slice(0, from)}[secret]${result.slice(to)}`, text)
}

const subjects: Readonly<Record<string, Subject>> = { 'Précis, secretRules': createRedactor(), 'secretlint, recommended': bySecretlint }

/** Any eight characters in a row would be enough to worry about. */
function leaks(result: string, secret: string): boolean {
  for (let at = 0; at + 8 <= secret.length; at++) if (result.includes(secret.slice(at, at + 8))) return true
  return result.includes(secret)
}

const rows: Record<string, unknown>[] = []
const missed: Record<string, Example[]> = {}
const spoilt: Record<string, Example[]> = {}
for (const [name, subject] of Object.entries(subjects)) {
  const found: boolean[] = []
  missed[name] = []
  spoilt[name] = []
  for (const example of positives) {
    const hit = !leaks(await subject(example.text), example.secret ?? '')
    found.push(hit)
    if (!hit) missed[name].push(example)
  }
  for (const example of negatives) if ((await subject(example.text)) !== example.text) spoilt[name].push(example)
  const hits = found.filter(Boolean).length
  const wrong = spoilt[name].length
  rows.push({
    subject: name,
    'secrets found': `${hits}/${positives.length}`,
    'innocent texts changed': `${wrong}/${negatives.length}`,
    recall: percent(hits, positives.length),
    precision: percent(hits, hits + wrong),
  })
}
function percent(part: number, whole: number): number {
  return Math.round((1000 * part) / whole) / 10
}
const kinds = new Set(positives.map((example) => example.kind)).size
console.log(
  `${positives.length} texts with a secret of ${kinds} kinds, ${negatives.length} without. The examples and our rules come from the same hands: read recall as a claim kept, not as a promise about secrets of other kinds.`,
)
console.table(rows)
for (const [name, list] of Object.entries(missed))
  if (list.length > 0) console.log(`${name} misses: ${[...new Set(list.map((example) => example.kind))].join(', ')}`)
for (const [name, list] of Object.entries(spoilt))
  if (list.length > 0)
    console.log(`${name} changes: ${[...new Set(list.map((example) => (example.kind === 'innocent line' ? example.text : example.kind)))].join(' | ')}`)

// No text, however made, may take longer than its length: each rule on inputs that begin like its matches and never end.
const beginnings = [
  'a',
  'A1',
  '0',
  '4 ',
  '-',
  '/',
  '"',
  ' ',
  'password=',
  'password: "',
  'aws secret ',
  'eyJa.',
  'https://',
  '://a:',
  'sk-',
  'sk-a1B',
  '-----BEGIN A PRIVATE KEY-----',
  'authorization: ',
  'session=',
  'a@a.',
  'DE89 ',
  '+49 1',
  '[key:',
  'token_',
  'password,',
  '"password","',
  'curl -u a:b',
  ' -p a1 ',
  '--password ',
  'name: "a", value: ',
  'variable "password" ',
  'INSERT INTO a (password) VALUES (',
  'machine a login ',
  '<password>',
  '-----END A PRIVATE KEY-----\n',
  'MIIEowIBAAKCAQEA7bq9Z\n',
  '\\n',
  '\\\\',
  '%41',
  '&quot;',
  'password is ',
  'set password ',
  'set the password to a ',
  'with the password a1 ',
  'mot de passe de a est ',
  'Kennwort für a : ',
  '{pw: a,',
  'creds a: a / ',
  'пароль от a ',
  '密码是a1',
  'host=a user=b password=',
  'a:5432:b:c:',
  'a.a1b2c3d4e5f6a7b8',
  '-----BEGIN A PRIVATE KEY----- MIIEowIBAAKCAQEA7bq9Z ',
  'a|password|\n',
  'a=b:c,d>',
  '" "',
]
const timeOf = (rule: RedactionRule | SecretFinder, text: string): number => {
  const redact = redactorOf([rule], '')
  const start = performance.now()
  redact(text)
  return performance.now() - start
}
const lengths = [125_000, 1_000_000] as const
/** The same text at two lengths; the better of several looks, so that neither garbage nor a busy machine makes a rule steep. */
const growthOf = (rule: RedactionRule | SecretFinder, beginning: string): { readonly long: number; readonly growth: number } => {
  let best: readonly [number, number] = [Infinity, Infinity]
  for (let look = 1; ; look++) {
    const [short, long] = lengths.map((length) => timeOf(rule, beginning.repeat(length / beginning.length))) as [number, number]
    best = [Math.min(best[0], short), Math.min(best[1], long)]
    const growth = Math.log(best[1] / Math.max(best[0], 0.5)) / Math.log(8)
    if (best[1] <= 100 || growth <= 1.4 || look === 4) return { long: best[1], growth }
  }
}
let slowest = { tag: '', beginning: '', milliseconds: 0, growth: 0 }
let steep = 0
for (const rule of [...secretRules, ...personalRules]) {
  for (const beginning of beginnings) {
    const { long, growth } = growthOf(rule, beginning)
    if (long > slowest.milliseconds)
      slowest = { tag: 'tag' in rule ? rule.tag : 'a finder', beginning, milliseconds: Math.round(long), growth: Math.round(growth * 100) / 100 }
    if (long > 100 && growth > 1.4) {
      steep++
      console.log(`steep: ${'tag' in rule ? rule.tag : 'a finder'} on "${beginning}", ${Math.round(long)} ms, to the power of ${growth.toFixed(2)}`)
    }
  }
}
console.log(
  `${secretRules.length + personalRules.length} rules × ${beginnings.length} hostile texts of 1 MB: slowest ${slowest.milliseconds} ms (${slowest.tag} on "${slowest.beginning}…", grows with the length to the power of ${slowest.growth}); steeper than 1.4: ${steep}`,
)

const own = rows[0] as { readonly recall: number; readonly precision: number }
if (process.argv.includes('--gate') && (own.recall < 99 || own.precision < 99 || steep > 0)) process.exit(1)
