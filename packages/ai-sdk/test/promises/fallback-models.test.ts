import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { createCompaction, withCompaction } from '@precis/ai-sdk'
import { type StrictProvider, strictProvider } from '@precis/testkit'
import { generateText, type LanguageModel, type ModelMessage, RetryError, streamText, wrapLanguageModel } from 'ai'
import { afterEach, describe, expect, it } from 'vitest'

// A wrapper of one name with two models behind it, as packages for retries and fallbacks make them: the second one is asked where the first one fails.

const open: StrictProvider[] = []
afterEach(async () => {
  for (const one of open.splice(0)) await one.close()
})

type Model = Exclude<LanguageModel, string> & { readonly specificationVersion: 'v4' }

/** What is thrown where both failed: the second failure, or both in one error. */
const thrown = { 'the last error': (errors: unknown[]) => errors.at(-1), 'all errors': (errors: unknown[]) => allOf(errors) }
const allOf = (errors: unknown[]) => new RetryError({ message: 'Nobody answered.', reason: 'maxRetriesExceeded', errors })

function falling(first: Model, second: Model, failed: (errors: unknown[]) => unknown): Model {
  const either = async <R>(call: (model: Model) => PromiseLike<R>): Promise<R> => {
    try {
      return await call(first)
    } catch (error) {
      try {
        return await call(second)
      } catch (later) {
        throw failed([error, later])
      }
    }
  }
  const { specificationVersion, provider, modelId, supportedUrls } = first
  return {
    specificationVersion,
    provider,
    modelId,
    supportedUrls,
    doGenerate: (options) => either((model) => model.doGenerate(options)),
    doStream: (options) => either((model) => model.doStream(options)),
  }
}

const doors = {
  withCompaction: (model: Model) => withCompaction(model) as LanguageModel,
  middleware: (model: Model) => wrapLanguageModel({ model, middleware: createCompaction({}).middleware() }),
} as const

describe.each(Object.keys(doors) as (keyof typeof doors)[])('a model that falls back, %s', (door) => {
  it.each(Object.entries(thrown).flatMap(([what, failed]) => [false, true].map((streams) => [what, streams, failed] as const)))(
    'what the smaller one refused says nothing of the first one’s window: %s, streamed: %s',
    async (what, streams, failed) => {
      const served = { maxOutput: 500, model: () => ({ text: 'Noted.', calls: [] }) }
      const large = await strictProvider({ ...served, window: 24_000, hiccups: { 12: 503 } })
      const small = await strictProvider({ ...served, window: 6_000 })
      open.push(large, small)
      const named = (url: string, name: string) =>
        createOpenAICompatible({ name: `falls-${door}-${what}-${streams}`, baseURL: url, apiKey: 'none', includeUsage: true })(name) as Model
      const model = doors[door](falling(named(large.url, 'large'), named(small.url, 'small'), failed))
      const messages: ModelMessage[] = []
      for (let at = 0; at < 30; at++) {
        messages.push({ role: 'user', content: `Week ${at}: ${`What is due in week ${at}? `.repeat(90)}` })
        const given = { model, messages, maxRetries: 0 }
        const { responseMessages } = streams ? streamText(given) : await generateText(given)
        messages.push(...(await responseMessages))
      }
      const accepted = large.requests.filter(({ status }) => status === 200)
      expect(small.requests[0]?.status).toBe(400)
      expect(Math.max(...accepted.slice(13).map(({ inputTokens }) => inputTokens))).toBeGreaterThan(12_000)
      expect(large.requests.filter(({ status }) => status === 400).length).toBeLessThan(2)
    },
  )
})
