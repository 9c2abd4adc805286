import { readFile, writeFile } from 'node:fs/promises'
import { closeConfig, loadConfig, parseConfig } from '@precis/config'
import { mergePolicy, type PresetName, presets } from '@precis/core'

/** A file to start from: what is most often changed, at its default, each line with its reason. */
export const starterConfig = `# yaml-language-server: $schema=node_modules/@precis/config/precis.schema.json
preset: balanced
model:
  contextWindow: 200000 # tokens
  maxOutput: 8000
policy:
  trigger:
    hard: { fraction: 0.8 } # of the window: where a compaction begins
    target: { fraction: 0.45 } # what it aims at
  retain:
    turns: 3 # newest turns that stay word for word
storage: { adapter: fs, path: .precis }
archive: true # whatever leaves the context can be found again
`

/** @throws where the file exists. */
export async function initConfig(path: string): Promise<void> {
  await writeFile(path, starterConfig, { flag: 'wx' })
}

/** @throws ConfigError naming file, line and field. */
export async function validateConfig(path: string): Promise<void> {
  await closeConfig(await loadConfig({ path }))
}

/** One field of the policy in force. */
export interface ExplainedField {
  readonly field: string
  readonly value: unknown
  readonly from: 'environment' | 'file' | `preset ${string}`
}

/** Every value of the policy and the model's limits, and where it comes from. @throws ConfigError */
export async function explainConfig(
  path: string | undefined,
  env: Readonly<Record<string, string | undefined>> = process.env,
): Promise<readonly ExplainedField[]> {
  const text = path === undefined ? '' : await readFile(path, 'utf8')
  const source = path ?? 'environment'
  const withEnvironment = parseConfig(text, { source, env })
  const alone = parseConfig(text, { source })
  const preset: PresetName = withEnvironment.preset ?? 'balanced'
  const policy = mergePolicy(presets[preset], withEnvironment.policy ?? {})
  const [chosen, written] = [leavesOf({ policy: withEnvironment.policy, model: withEnvironment.model }), leavesOf({ policy: alone.policy, model: alone.model })]
  const all = new Map([...leavesOf({ policy }), ...leavesOf({ model: withEnvironment.model })])
  return [...all].map(([field, value]) => {
    const key = JSON.stringify(value)
    if (!chosen.has(field)) return { field, value, from: `preset ${preset}` }
    return { field, value, from: JSON.stringify(written.get(field)) === key ? 'file' : 'environment' }
  })
}

/** Amounts and lists are values, not fields. */
function leavesOf(value: unknown, path = ''): ReadonlyMap<string, unknown> {
  const isLeaf = typeof value !== 'object' || value === null || Array.isArray(value) || 'fraction' in value || 'tokens' in value
  if (value === undefined) return new Map()
  if (isLeaf && !(path.split('.').length < 3 && typeof value === 'object' && value !== null && !Array.isArray(value))) return new Map([[path, value]])
  return new Map(Object.entries(value as object).flatMap(([name, inner]) => [...leavesOf(inner, path === '' ? name : `${path}.${name}`)]))
}

export function renderExplanation(fields: readonly ExplainedField[]): string {
  const width = Math.max(...fields.map(({ field }) => field.length))
  return fields.map(({ field, value, from }) => `${field.padEnd(width)}  ${JSON.stringify(value)}  (${from})`).join('\n')
}
