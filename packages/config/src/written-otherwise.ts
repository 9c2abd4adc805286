import { presets } from '@precis/core'
import { createRedactor } from '@precis/redaction'
import { parseTokens } from './quantities.ts'

const redact = createRedactor()

/** A value for a message, secrets replaced. */
export function shown(value: unknown): string {
  const text = redact(JSON.stringify(value) ?? String(value))
  return text.length > 60 ? `${text.slice(0, 60)}…` : text
}

/** How a section is written, by what stood in its place. */
const sections: Readonly<Record<string, (value: unknown) => string>> = {
  policy: (value) => (Object.hasOwn(presets, String(value)) ? `preset: ${value}` : 'policy: { trigger: { hard: { fraction: 0.8 } } }'),
  model: (value) => `model: { contextWindow: ${parseTokens(String(value)) ?? '200k'} }`,
  storage: (value) =>
    `storage: ${{ memory: '{ adapter: memory }', s3: '{ adapter: s3, bucket: my-agents }' }[String(value)] ?? '{ adapter: fs, path: ./.precis }'}`,
  telemetry: (value) => `telemetry: { exporter: ${value === 'otlp' ? 'otlp' : 'console'} }`,
  redaction: (value) => `redaction: { enabled: ${flagOf(value) ?? true} }`,
  retention: (value) => `retention: { days: ${Number(value) > 0 ? value : 30} }`,
  outputs: (value) => `outputs: { keep: ${value === 'all' ? 'all' : 'shortened'} }`,
  encryption: () => 'encryption: { keyId: k1, keyVariable: PRECIS_KEY }',
}

const flags: Readonly<Record<string, boolean>> = { true: true, yes: true, on: true, y: true, false: false, no: false, off: false, n: false }
const flagOf = (value: unknown): boolean | undefined => flags[String(value).toLowerCase()]

/** What to write in place of a value, where that can be told: `; write …`. @param expected - What may stand there, in words. */
export function writtenOtherwise(path: readonly PropertyKey[], value: unknown, expected: string): string {
  const write = path.length === 1 && typeof value !== 'object' ? sections[String(path[0])]?.(value) : undefined
  if (write !== undefined) return `; write ${write}`
  const flag = expected.includes('true or false') ? flagOf(value) : undefined
  if (flag !== undefined) return `; write ${flag}`
  const amount = expected.includes('{ fraction }') ? (typeof value === 'string' ? parseTokens(value) : value) : undefined
  if (typeof amount === 'number' && amount > 0) return `; write { ${amount <= 1 ? 'fraction' : 'tokens'}: ${amount} }`
  return ''
}
