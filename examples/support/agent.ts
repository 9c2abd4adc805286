import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { recallModel, strictProvider } from '@precis/testkit'
import type { LanguageModel } from 'ai'
import { scenario } from '../demo/scenario.ts'

export { tools } from '../demo/tools.ts'

const { OPENAI_BASE_URL, OPENAI_API_KEY, PRECIS_MODEL } = process.env
/** A local provider that refuses what a real one would, unless the environment names another. */
const provider =
  OPENAI_BASE_URL === undefined
    ? await strictProvider({ window: 16_000, model: recallModel(scenario) })
    : undefined

export const model: Exclude<LanguageModel, string> = createOpenAICompatible({
  name: 'example',
  baseURL: OPENAI_BASE_URL ?? provider?.url ?? '',
  apiKey: OPENAI_API_KEY ?? 'none',
  includeUsage: true,
})(PRECIS_MODEL ?? 'strict')

export const prompt = 'Get to know this repository, file by file.'

// The local provider holds nothing open; an example that had a request refused has failed.
process.on('exit', () => {
  if (provider?.requests.some((request) => request.status !== 200) === true)
    process.exitCode = 1
})
