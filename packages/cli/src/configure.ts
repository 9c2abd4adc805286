import { readFile } from 'node:fs/promises'
import { closeConfig, loadConfig, parseConfig } from '@precis/config'
import { mergePolicy, presets, redactValue } from '@precis/core'
import { createRedactor } from '@precis/redaction'
import { starterHint } from './config-hint.ts'
import { fields } from './transcripts/foreign-parts.ts'
import { unreadable } from './transcripts/read-transcripts.ts'
import { writeNew } from './write.ts'

/** A file to start from: what is most often changed, at its default, each line with its reason. */
export const starterConfig = `# yaml-language-server: $schema=node_modules/@precis/config/precis.schema.json
preset: balanced
model:
  contextWindow: 200000 # tokens
  maxOutput: 8000
policy:
  trigger:
    hard: { fraction: 0.8 } # of the usable window, which leaves room for the reply: where a compaction begins
    target: { fraction: 0.45 } # what it aims at
  retain:
    turns: 3 # newest turns that stay word for word
storage: { adapter: fs, path: .precis }
archive: true # whatever leaves the context can be found again
`

/** @throws TranscriptError, or EEXIST where the file exists. */
export async function initConfig(path: string): Promise<void> {
  await writeNew(path, starterConfig)
}

/** @throws ConfigError naming file, line and field. */
export async function validateConfig(path: string): Promise<void> {
  await closeConfig(await loadConfig({ path }))
}

/** One field of the configuration in force; `null` where the file removes one that the preset has. */
export interface ExplainedField {
  readonly field: string
  readonly value: unknown
  readonly from: 'environment' | 'file' | `preset ${string}`
}

/** Every value of the policy, and of the other sections what was chosen, with where it comes from. Secrets are replaced. @throws ConfigError */
export async function explainConfig(
  path: string | undefined,
  env: Readonly<Record<string, string | undefined>> = process.env,
): Promise<readonly ExplainedField[]> {
  const text = path === undefined ? '' : await readConfig(path)
  const source = path ?? 'environment'
  const [chosen, written] = [parseConfig(text, { source, env }), parseConfig(text, { source })]
  const { preset = 'balanced', policy = {}, ...sections } = chosen
  const inForce = leavesOf({ policy: mergePolicy(presets[preset], policy), ...(redactValue(sections, createRedactor()) as object) })
  const known = new Set(inForce.map(({ names }) => names.join('.')))
  const removed = leavesOf({ policy }).filter(({ names, value }) => value === null && !known.has(names.join('.')))
  const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other)
  return [...inForce, ...removed].map(({ names, value }) => {
    const [own, inFile] = [valueAt(chosen, names), valueAt(written, names)]
    // Of `prune: false` the fields are not written: they are what differs from the preset.
    const isPreset = own === undefined && isSame(value, valueAt({ policy: presets[preset] }, names))
    return { field: names.join('.'), value, from: isPreset ? `preset ${preset}` : isSame(own, inFile) ? 'file' : 'environment' }
  })
}

const readConfig = (path: string): Promise<string> =>
  readFile(path, 'utf8').catch((error: unknown) => {
    throw unreadable(path, error, starterHint)
  })

interface Leaf {
  readonly names: readonly string[]
  readonly value: unknown
}

/** Amounts and lists are values, not fields. */
function leavesOf(value: unknown, names: readonly string[] = []): readonly Leaf[] {
  if (value === undefined) return []
  const inner = typeof value !== 'object' || value === null || Array.isArray(value) || isAmount(value) ? [] : Object.entries(value)
  return inner.length === 0 ? [{ names, value }] : inner.flatMap(([name, one]) => leavesOf(one, [...names, name]))
}

const isAmount = (value: object): boolean => /^(?:fraction|tokens|free)$/.test(Object.keys(value).join())

const valueAt = (value: unknown, names: readonly string[]): unknown => names.reduce((found, name) => fields(found)[name], value)

export function renderExplanation(fields: readonly ExplainedField[]): string {
  const width = Math.max(...fields.map(({ field }) => field.length))
  return fields.map(({ field, value, from }) => `${field.padEnd(width)}  ${JSON.stringify(value)}  (${from})`).join('\n')
}
