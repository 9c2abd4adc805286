// src/catalog.generated.ts from the model table of @earendil-works/pi-ai: `node packages/models/scripts/generate.mjs [version]`.
import { writeFileSync } from 'node:fs'
import { getEncodingNameForModel } from 'js-tiktoken/lite'
import { unpacked } from './packed.mjs'
import { piTable, source } from './pi-table.mjs'

/** Providers that a framework's package can be pointed at. Subscriptions, editors' back ends and mirrors of these are left out. */
const providers = [
  'openai',
  'anthropic',
  'google',
  'xai',
  'mistral',
  'deepseek',
  'moonshotai',
  'minimax',
  'zai',
  'meta',
  'xiaomi',
  'azure',
  'google-vertex',
  'amazon-bedrock',
  'vercel-ai-gateway',
  'openrouter',
  'groq',
  'cerebras',
  'together',
  'fireworks',
  'huggingface',
  'nvidia',
  'baseten',
  'cloudflare-workers-ai',
]
/** Tokens of the window that OpenAI keeps for reasoning and reply in GPT-5 and later: 400,000 take an input of 272,000, and 1,050,000 one of 922,000. */
const openaiReply = 128_000

const { folder, manifest } = unpacked(`${source}@${process.argv[2] ?? 'latest'}`)
const { date, rows } = piTable(folder)
const azure = new Map(rows.filter(({ provider }) => provider === 'azure').map(({ row }) => [row.id, row]))

/**
 * The window of a row. For some of OpenAI's models the source states what is cheap, not what is accepted: their prices go on above that "window".
 * Azure's row of the same model has the window.
 */
function windowOf(provider, row) {
  const hosted = provider === 'openai' ? azure.get(row.id)?.contextWindow : undefined
  return hosted !== undefined && row.cost.tiers?.some(({ inputTokensAbove }) => inputTokensAbove >= row.contextWindow) ? hosted : row.contextWindow
}

const isOpenai = (provider, id) => (['openai', 'azure'].includes(provider) && /^(?:gpt|chat)-/.test(id)) || /(?:^|[.~/])openai[./]/.test(id)

/** No price of its own for cached or written tokens means that they cost what other input does. */
function pricesOf({ input, cacheRead, cacheWrite, output }) {
  // Free, or nobody said: the source writes both so.
  if (!(input >= 0 && output >= 0) || input + output === 0) return ''
  return [input, cacheRead || input, cacheWrite || input, output].map((price) => +price.toFixed(6)).join(' ')
}

function tokenizerOf(id) {
  try {
    return getEncodingNameForModel(id)
  } catch {
    return ''
  }
}

function lineOf(provider, row) {
  const window = windowOf(provider, row)
  const openai = window >= 400_000 && row.maxTokens >= openaiReply && isOpenai(provider, row.id)
  const limits = [window, openai ? window - openaiReply : '', row.maxTokens <= window ? row.maxTokens : ''].join(' ')
  const tier = row.cost.tiers?.[0]
  const images = row.input.includes('image') ? (row.inputLimits?.images?.maxPerRequest ?? row.inputLimits?.images?.maxPerMessage ?? '+') : ''
  const fields = [
    row.id,
    limits,
    pricesOf(row.cost),
    tier === undefined ? '' : `${tier.inputTokensAbove} ${pricesOf(tier)}`,
    images,
    row.promptCache?.short ?? '',
    provider === 'openai' || provider === 'azure' ? tokenizerOf(row.id) : '',
  ]
  if (fields.some((field) => /[|\n\\`$]/.test(String(field)))) throw new Error(`${provider}/${row.id} has a character that the catalog's format does not take`)
  return fields.join('|').replace(/\|+$/, '')
}

let models = 0
const tables = providers.map((provider) => {
  // A batch is not a conversation, and a router's window is not that of the model it picks.
  const named = rows.filter((one) => one.provider === provider && !/[-:]batch$|^auto$|\brouters?\b|^openrouter\//.test(one.row.id))
  // At Azure the name is a deployment's: the first GPT-4, or Turbo with a window sixteen times as long.
  const own = named.filter(({ row }) => provider !== 'azure' || row.id !== 'gpt-4')
  const lines = new Set(own.map(({ row }) => lineOf(provider, row)))
  if (lines.size === 0) throw new Error(`${source} has no provider ${provider} any more`)
  models += lines.size
  return `  ${/^\w+$/.test(provider) ? provider : `'${provider}'`}: \`\n${[...lines].sort().join('\n')}\n\`,\n`
})
const text = `// Made by packages/models/scripts/generate.mjs from ${source} ${manifest.version} (${manifest.license} license, Copyright (c) ${manifest.author}); do not edit.
// One model a line: id|window, longest input, longest reply|input, cache read, cache write, output per million tokens|from so many tokens on: the same four|images a request|seconds cached|tokenizer

/** Day of the catalog, ISO 8601. */
export const catalogDate = '${date}'

/** Package and version that it was made from. */
export const catalogSource = '${source} ${manifest.version}'

export const catalogLines: Readonly<Record<string, string>> = {
${tables.join('')}}
`
writeFileSync(new URL('../src/catalog.generated.ts', import.meta.url), text)
console.log(`${models} models of ${providers.length} providers, ${date}`)
