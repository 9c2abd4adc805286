// The table of docs/configuration.md: fields from the schema, words from the docstrings of policy.ts, numbers and their reasons from balanced.ts.
import { readFileSync } from 'node:fs'

const schema = JSON.parse(readFileSync('packages/config/precis.schema.json', 'utf8'))
const policy = readFileSync('packages/core/src/policy/policy.ts', 'utf8')
const balanced = readFileSync('packages/core/src/policy/presets/balanced.ts', 'utf8')

/** Docstrings of an interface's fields. */
function docsOf(name) {
  const body = new RegExp(`export interface ${name} \\{\\n([\\s\\S]*?)\\n\\}`).exec(policy)?.[1] ?? ''
  const found = body.matchAll(/\/\*\*([\s\S]*?)\*\/\s*readonly (\w+)\??:/g)
  return new Map([...found].map(([, text, field]) => [field, text.replaceAll(/\n\s*\* ?/g, ' ').trim()]))
}

/** Values of a group of balanced.ts as they are written, with the comment beside them. */
function valuesOf(group) {
  const body = new RegExp(`\\n  ${group}: \\{\\n([\\s\\S]*?)\\n  \\},`).exec(balanced)?.[1] ?? ''
  const found = body.matchAll(/^ {4}(\w+): (.+?),(?: \/\/ (.*))?$/gm)
  return new Map([...found].map(([, field, value, why]) => [field, { value, why }]))
}

/** What a field takes, in a few words. */
function typeOf(field) {
  if (field.anyOf !== undefined) return [...new Set(field.anyOf.map(typeOf))].filter((one) => one !== undefined && one !== 'null').join(' or ')
  if (field.enum !== undefined) return field.enum.map((one) => `\`${one}\``).join(', ')
  if (field.type === 'array') return `list of ${typeOf(field.items)}`
  if (Array.isArray(field.type)) return field.type.join(' or ')
  if (field.pattern !== undefined) return 'such as `200k`'
  if (field.const !== undefined) return `\`${field.const}\``
  if (field.type !== 'object') return field.type === 'number' && field.maximum === 1 ? '0–1' : field.type === 'integer' ? 'whole number' : field.type
  return field.properties === undefined ? `by name: ${typeOf(field.additionalProperties)}` : `\`{ ${Object.keys(field.properties).join(', ')} }\``
}

/** Where a number comes from, for readers who have the documentation beside them and not our notes. */
const reason = (text) =>
  text
    .replaceAll(/docs\/systems\.md, "([\w-]+)" (\d+)(?: and "([\w-]+)" (\d+))?/g, (_, one, row, two, other) =>
      [[one, row], ...(two === undefined ? [] : [[two, other]])].map(([name, at]) => `[${name}](systems.md), row ${at}`).join(', '),
    )
    .replaceAll(/(?:source: )?docs\/(\w+)\.md/g, '[$1]($1.md)')
const cell = (text) => text.replaceAll('|', '\\|')
function tableOf([group, schema]) {
  // `prune` may also be false.
  const { properties } = schema.properties === undefined ? schema.anyOf.find((one) => one.properties !== undefined) : schema
  const docs = docsOf(`${group[0].toUpperCase()}${group.slice(1)}Policy`)
  const values = valuesOf(group)
  const rows = Object.entries(properties).map(([field, type]) => {
    const words = docs.get(field)
    if (words === undefined) throw new Error(`${group}.${field} has no docstring in policy.ts`)
    const { value, why } = values.get(field) ?? {}
    const shown = value === undefined ? 'absent' : `\`${value}\`${why === undefined ? '' : `: ${reason(why)}`}`
    return `| \`${field}\` | ${cell(words)} | ${cell(typeOf(type))} | ${cell(shown)} |`
  })
  return `### \`${group}\`\n\n| field | what it does | takes | in \`balanced\`, and why |\n| --- | --- | --- | --- |\n${rows.join('\n')}`
}

export function configurationTable() {
  const tables = Object.entries(schema.properties.policy.properties).map(tableOf)
  return [{ path: 'docs/configuration.md', marked: { policy: tables.join('\n\n') } }]
}
