import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { modelSummarizer, withCompaction } from '@precis/ai-sdk'
import { generateText, type ModelMessage } from 'ai'
import { bad, good, receipt, strong } from '../demo/view.ts'
import { type Installed, install } from './install.ts'
import { type LocalModel, loadModel } from './model.ts'
import { serve } from './provider.ts'

globalThis.AI_SDK_LOG_WARNINGS = false

const goal =
  'I show you pages of a manual, one after another. Answer each with its code, and with nothing else.'
const [maxOutputTokens, windows, window] = [
  16,
  Number(process.env['PRECIS_WINDOWS'] ?? 2),
  Number(process.env['PRECIS_WINDOW'] ?? 2_048),
]
/** Milliseconds until the first compaction; a machine that needs longer is too slow for a demo. */
const patience = 120_000

const codeOf = (turn: number): string => `P-${turn * 37 + 104}`

/** The beginnings of this project's pages, with a question that a model of this size can answer. */
function turns(): readonly string[] {
  const folder = new URL('../../docs/', import.meta.url)
  const names = readdirSync(folder).filter((name) => name.endsWith('.md'))
  return names.map((name, at) => {
    const text = readFileSync(new URL(name, folder), 'utf8')
    const prose = text
      .split('\n')
      .filter((line) => /^(?:# |[A-Z])/.test(line))
      .join('\n')
    return `${prose.slice(0, 600)}\n\nThe code of this page is ${codeOf(at)}. Answer with the code.`
  })
}

let found: { readonly model: LocalModel }
try {
  const { runtime, weights }: Installed = await install(
    fileURLToPath(new URL('../node_modules/.cache/local', import.meta.url)),
  )
  found = { model: await loadModel(runtime, weights, window) }
} catch (error) {
  console.error(
    bad(
      `SKIPPED: the local model is not to be had here, so nothing was measured. ${(error as Error).message}`,
    ),
  )
  process.exit(0)
}

const { model: local } = found
const provider = await serve(local)
const model = createOpenAICompatible({
  name: 'local',
  baseURL: provider.url,
  apiKey: 'none',
  includeUsage: true,
})('local')
let compactions = 0
const compacted = withCompaction(model, {
  limits: { contextWindow: local.window, maxOutput: maxOutputTokens },
  // A model of 135 million parameters writes summaries that are seldom accepted, and does not look things up; a record made by code takes their place.
  recall: 'off',
  ...(process.argv.includes('--summaries') && {
    summarizer: modelSummarizer({ model }),
  }),
  onReport: (report) => {
    if (report.outcome === 'unchanged' || report.outcome === 'projected') return
    compactions++
    console.log(receipt(report))
  },
})
const ask = async (
  messages: ModelMessage[],
  precis: boolean,
): Promise<string> => {
  const { text } = await generateText({
    model: precis ? compacted : model,
    messages,
    maxOutputTokens,
    maxRetries: 0,
  })
  return text
}
/** The conversation as it is stored, by the model's own tokenizer. */
const sizeOf = (messages: readonly ModelMessage[]): number =>
  local.count(
    messages.map(({ role, content }) => ({
      role,
      content: typeof content === 'string' ? content : JSON.stringify(content),
    })),
  )

console.log(
  `SmolLM2-135M on this machine's processor, window ${local.window} tokens; a session of at least ${windows} windows: about a minute.\n`,
)
const began = Date.now()
const history: ModelMessage[] = []
let bare: string | undefined
let turn = 0
let right = 0
const files = turns()
while (sizeOf(history) < windows * local.window) {
  const content = `${turn === 0 ? `${goal}\n\n` : ''}${files[turn % files.length]}`
  history.push({ role: 'user', content })
  const before = sizeOf(history)
  if (bare === undefined && before + maxOutputTokens > local.window) {
    bare = await ask(history, false).catch((error: Error) => error.message)
    console.log(bad(`bare     ${bare}`))
  }
  const text = await ask(history, true)
  if (text.includes(codeOf(turn % files.length))) right++
  const { inputTokens, cachedTokens } = provider.requests.at(-1) ?? {
    inputTokens: 0,
    cachedTokens: 0,
  }
  console.log(
    `${strong(String(++turn).padStart(3))} conversation ${before}, sent ${inputTokens}, from memory ${cachedTokens}: ${text.replaceAll('\n', ' ').slice(0, 70)}`,
  )
  history.push({ role: 'assistant', content: text })
  if (compactions === 0 && Date.now() - began > patience) {
    console.log(
      bad(
        `SKIPPED: ${turn} turns took ${Math.round((Date.now() - began) / 1_000)} s, and the window is not full yet: this machine is too slow or busy.`,
      ),
    )
    process.exit(0)
  }
}

const refused =
  provider.requests.filter((request) => request.status !== 200).length -
  (bare === undefined ? 0 : 1)
const largest = Math.max(
  ...provider.requests
    .filter((request) => request.status === 200)
    .map((request) => request.inputTokens),
)
await provider.close()
console.log(
  `\n${turn} turns, ${right} answered right, ${sizeOf(history)} tokens, ${(sizeOf(history) / local.window).toFixed(1)} windows; largest request ${largest} of ${local.window} tokens; refused ${refused}.`,
)
console.log(
  refused === 0
    ? good('No context error; sent whole, the conversation was refused.')
    : bad('This is not what the demo promises.'),
)
process.exit(refused === 0 ? 0 : 1)
