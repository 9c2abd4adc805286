import { createAnthropic } from '@ai-sdk/anthropic'
import { createGoogleGenerativeAI } from '@ai-sdk/google'
import { createOpenAI } from '@ai-sdk/openai'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { createRandom, recallModel, type Scenario, type StrictProvider, type StrictProviderOptions, strictProvider } from '@precis/testkit'
import { type LanguageModel, type ToolSet, tool } from 'ai'
import { z } from 'zod'

/** Files of an imaginary project: long enough that a few dozen reads fill any small window. */
export function fileText(path: string): string {
  const random = createRandom([...path].reduce((sum, letter) => sum * 31 + letter.charCodeAt(0), 7) >>> 0)
  const lines = [`// ${path}`]
  for (let line = 1; line <= 60; line++)
    lines.push(
      `export const value${random.between(100, 999)} = load('${random.pick(['alpha', 'beta', 'gamma', 'delta'])}-${random.between(1_000, 9_999)}', { retries: ${random.between(1, 9)} })`,
    )
  if (path === 'src/module-2.ts') lines.splice(20, 0, "throw new Error('E4711: ledger checksum mismatch in shard kappa-9')")
  if (path === 'src/module-3.ts') lines.splice(30, 0, "export const releaseToken = 'zeta-release-8812'")
  return lines.join('\n')
}

export const readFileTool = tool({
  description: 'Reads a file of the project.',
  inputSchema: z.object({ path: z.string() }),
  execute: async ({ path }) => fileText(path),
})
export const tools: ToolSet = { read_file: readFileTool }

export const steps = 40

/** Reads forty files; the last needs a token that stood in the third. */
export const scenario: Scenario = {
  steps: [
    ...Array.from({ length: steps }, (_, at) => ({ tool: 'read_file', input: () => ({ path: `src/module-${at}.ts` }) })),
    { tool: 'read_file', input: (recall) => ({ path: `releases/${recall(/releaseToken = '([^']+)'/) ?? 'unknown'}.md` }) },
  ],
  questions: [
    { asks: 'exact error', pattern: /(E4711: ledger checksum mismatch in shard [a-z]+-\d+)/ },
    { asks: 'which ticket', pattern: /(PRE-\d{3})/ },
  ],
  final: 'All modules are read.',
}

export const firstRequest = 'Read all modules of the project one by one, then the notes of the release. This is for ticket PRE-205; do not change any file.'

export interface Setup {
  readonly provider: StrictProvider
  readonly model: Exclude<LanguageModel, string>
}

export type Shape = 'openai' | 'openai-responses' | 'openai-stateless' | 'anthropic' | 'google'

export async function setUp(shape: Shape, options: Partial<StrictProviderOptions> & { readonly window: number }): Promise<Setup> {
  const provider = await strictProvider({ model: recallModel(scenario), ...options })
  const own = { baseURL: provider.url, apiKey: 'none' }
  const models: Readonly<Record<Shape, () => unknown>> = {
    openai: () => createOpenAICompatible({ ...own, name: 'strict', includeUsage: true })('strict'),
    'openai-responses': () => createOpenAI(own).responses('strict'),
    'openai-stateless': () => createOpenAI(own).responses('strict'),
    anthropic: () => createAnthropic(own)('strict'),
    google: () => createGoogleGenerativeAI(own)('strict'),
  }
  return { provider, model: models[shape]() as Exclude<LanguageModel, string> }
}
