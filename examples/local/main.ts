import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { createCompaction, modelSummarizer } from '@precis/ai-sdk'
import { generateText, type ModelMessage } from 'ai'
import { bad, good, receipt, strong } from '../demo/view.ts'
import { type Installed, install } from './install.ts'
import { type LocalModel, loadModel } from './model.ts'
import { serve } from './provider.ts'

globalThis.AI_SDK_LOG_WARNINGS = false

const goal =
  'We review the core of a library, file by file, under review REV-3107. Say of each file, in one sentence, what it is for.'
const [maxOutputTokens, windows] = [
  48,
  Number(process.env['PRECIS_WINDOWS'] ?? 3),
]

/** The files of the core, each cut to what a turn of a small model can hold. */
function turns(): readonly string[] {
  const folder = new URL('../../packages/core/src/', import.meta.url)
  const files = readdirSync(folder, {
    recursive: true,
    encoding: 'utf8',
  }).filter((name) => name.endsWith('.ts'))
  return files.map(
    (name) =>
      `${name}\n\n${readFileSync(new URL(name, folder), 'utf8').slice(0, 2_400)}`,
  )
}

let found: { readonly model: LocalModel }
try {
  const { runtime, weights }: Installed = await install(
    fileURLToPath(new URL('../node_modules/.cache/local', import.meta.url)),
  )
  found = { model: await loadModel(runtime, weights) }
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
const compaction = createCompaction({
  limits: { contextWindow: local.window, maxOutput: 512 },
  // A model of 135 million parameters writes summaries that are seldom accepted; a record made by code takes their place.
  ...(process.argv.includes('--summaries') && {
    summarizer: modelSummarizer({ model }),
  }),
  onReport: (report) => {
    if (report.outcome !== 'unchanged' && report.outcome !== 'projected')
      console.log(receipt(report))
  },
})
const ask = async (
  messages: ModelMessage[],
  precis: boolean,
): Promise<string> => {
  const settings = { model, messages, maxOutputTokens, maxRetries: 0 }
  const { text } = await generateText({
    ...settings,
    ...(precis && {
      prepareStep: compaction.prepareStep({
        session: 'local',
        maxOutputTokens,
      }),
    }),
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
  `SmolLM2-135M on this machine's processor, window ${local.window} tokens; a session of at least ${windows} windows.\n`,
)
const history: ModelMessage[] = []
let bare: string | undefined
let turn = 0
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
  const { inputTokens, cachedTokens } = provider.requests.at(-1) ?? {
    inputTokens: 0,
    cachedTokens: 0,
  }
  console.log(
    `${strong(String(++turn).padStart(3))} conversation ${before}, sent ${inputTokens}, from memory ${cachedTokens}: ${text.replaceAll('\n', ' ').slice(0, 70)}`,
  )
  history.push({ role: 'assistant', content: text })
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
  `\n${turn} turns, ${sizeOf(history)} tokens, ${(sizeOf(history) / local.window).toFixed(1)} windows; largest request ${largest} of ${local.window} tokens; refused ${refused}.`,
)
console.log(
  refused === 0
    ? good('No context error; sent whole, the conversation was refused.')
    : bad('This is not what the demo promises.'),
)
process.exit(refused === 0 ? 0 : 1)
