// The models that are asked: of a provider by its key, of any server that speaks as OpenAI does, or the strict loopback provider with a scripted reader.
import { createAnthropic } from '@ai-sdk/anthropic'
import { createOpenAI } from '@ai-sdk/openai'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { knownModel } from '@precis/models'
import { recallModel, strictProvider } from '@precis/testkit'
import type { LiveTask } from './tasks.ts'
import { scenarioOf } from './tasks.ts'
import type { Way } from './ways.ts'

/** US dollars for a million tokens. */
export interface LivePrices {
  readonly input: number
  readonly cacheRead?: number
  readonly output: number
}

export interface LiveModel {
  readonly name: string
  /** Absent: nothing is billed, or nobody knows how much. */
  readonly prices?: LivePrices
  /** A model for one task; `close` when it is done. */
  open(task: LiveTask): Promise<{ readonly model: Way['model']; close(): Promise<void> }>
}

/** @throws Error that says what to write: for an unknown provider, or where its key is missing. */
export function liveModel(
  spec: string,
  { baseURL, window, maxOutput }: { readonly baseURL?: string; readonly window: number; readonly maxOutput: number },
): LiveModel {
  if (spec === 'strict') return { name: spec, open: (task) => openStrict(task, window, maxOutput) }
  const [provider = '', ...rest] = spec.split(':')
  const id = rest.join(':')
  const make = makers[provider]
  if (make === undefined || id === '')
    throw new Error(
      `--model ${spec}: write strict, ${Object.keys(makers)
        .map((name) => `${name}:<model>`)
        .join(' or ')}.`,
    )
  if (provider === 'server' && baseURL === undefined) throw new Error('--model server:<model> needs --base-url=http://…/v1')
  const key = keys[provider]
  if (key !== undefined && process.env[key] === undefined) throw new Error(`--model ${spec}: ${key} is not set.`)
  const model = make(id, baseURL)
  const prices = provider === 'server' ? undefined : knownModel(id, { provider })?.prices
  return { name: spec, ...(prices !== undefined && { prices }), open: async () => ({ model, close: async () => {} }) }
}

const keys: Readonly<Record<string, string>> = { openai: 'OPENAI_API_KEY', anthropic: 'ANTHROPIC_API_KEY' }

const makers: Readonly<Record<string, (id: string, baseURL: string | undefined) => Way['model']>> = {
  openai: (id, baseURL) => createOpenAI({ ...(baseURL !== undefined && { baseURL }) })(id),
  anthropic: (id, baseURL) => createAnthropic({ ...(baseURL !== undefined && { baseURL }) })(id),
  server: (id, baseURL = '') => createOpenAICompatible({ name: 'server', baseURL, apiKey: process.env['SERVER_API_KEY'] ?? 'none', includeUsage: true })(id),
}

async function openStrict(task: LiveTask, window: number, maxOutput: number): Promise<{ model: Way['model']; close(): Promise<void> }> {
  const provider = await strictProvider({ window, maxOutput, model: recallModel(scenarioOf(task), { looksUp: 'precis_recall' }) })
  const model = createOpenAICompatible({ name: 'strict', baseURL: provider.url, apiKey: 'none', includeUsage: true })('strict')
  return { model, close: () => provider.close() }
}
