import { type StrictProvider, type StrictProviderOptions, strictProvider } from '@precis/testkit'
import type { ModelMessage, UIMessage } from 'ai'
import { fileText } from './scenario.ts'

// Warnings about a model that nobody has heard of.
;(globalThis as { AI_SDK_LOG_WARNINGS?: boolean }).AI_SDK_LOG_WARNINGS = false

/** What a test uses of one major: looked at structurally, as our users' code is. */
interface Sdk {
  readonly generateText: (options: unknown) => Promise<{
    readonly text: string
    readonly steps: readonly { readonly usage: unknown; readonly providerMetadata?: unknown }[]
    /** Of all steps; version 7 alone has it. */
    readonly responseMessages?: readonly ModelMessage[]
    /** Of all steps in 5 and 6, of the last one in 7. */
    readonly response: { readonly messages: readonly ModelMessage[] }
  }>
  readonly streamText: (options: unknown) => { readonly text: Promise<string>; consumeStream(): Promise<void>; toUIMessageStream(options?: unknown): unknown }
  readonly wrapLanguageModel: (options: unknown) => unknown
  readonly stepCountIs?: (count: number) => unknown
  readonly isStepCount?: (count: number) => unknown
  readonly jsonSchema: (schema: unknown) => unknown
  /** Version 5 answers at once, 6 and 7 promise. */
  readonly convertToModelMessages: (messages: readonly UIMessage[]) => ModelMessage[] | Promise<ModelMessage[]>
  readonly createUIMessageStream: (options: unknown) => AsyncIterable<unknown>
  readonly safeValidateUIMessages: (options: unknown) => Promise<{ readonly success: boolean; readonly error?: Error }>
}

type Provider = (options: Readonly<Record<string, unknown>>) => (model: string) => unknown

interface Modules {
  readonly ai: () => Promise<unknown>
  readonly compatible: () => Promise<{ readonly createOpenAICompatible: unknown }>
  readonly anthropic: () => Promise<{ readonly createAnthropic: unknown }>
  readonly openai: () => Promise<{ readonly createOpenAI: unknown }>
}

const modules: Readonly<Record<string, Modules>> = {
  'AI SDK 5': {
    ai: () => import('ai-v5'),
    compatible: () => import('openai-compatible-v5'),
    anthropic: () => import('anthropic-v5'),
    openai: () => import('openai-v5'),
  },
  'AI SDK 6': {
    ai: () => import('ai-v6'),
    compatible: () => import('openai-compatible-v6'),
    anthropic: () => import('anthropic-v6'),
    openai: () => import('openai-v6'),
  },
  'AI SDK 7': {
    ai: () => import('ai'),
    compatible: () => import('@ai-sdk/openai-compatible'),
    anthropic: () => import('@ai-sdk/anthropic'),
    openai: () => import('@ai-sdk/openai'),
  },
}
export const majors = Object.keys(modules)

export type Wire = 'openai' | 'openai-responses' | 'anthropic'

/** One major of the SDK with real clients of that major. */
export async function sdkOf(name: string) {
  const found = modules[name] as Modules
  const [ai, compatible, anthropic, openai] = await Promise.all([found.ai(), found.compatible(), found.anthropic(), found.openai()])
  const sdk = ai as Sdk
  const modelAt = (wire: Wire, url: string): unknown => {
    const own = { baseURL: url, apiKey: 'none' }
    if (wire === 'anthropic') return (anthropic.createAnthropic as Provider)(own)('strict')
    if (wire === 'openai') return (compatible.createOpenAICompatible as Provider)({ ...own, name: 'strict', includeUsage: true })('strict')
    return (openai.createOpenAI as (options: unknown) => { responses(model: string): unknown })(own).responses('strict')
  }
  const tools = {
    read_file: {
      description: 'Reads a file of the project.',
      inputSchema: sdk.jsonSchema({ type: 'object', properties: { path: { type: 'string' } }, required: ['path'] }),
      execute: async ({ path }: { readonly path: string }): Promise<string> => fileText(path),
    },
  }
  const stopWhen = (sdk.isStepCount ?? sdk.stepCountIs)?.(100)
  return { ...sdk, modelAt, tools, stopWhen }
}

/** Providers that a test opened; closed by `close`. */
export function providers() {
  const open: StrictProvider[] = []
  return {
    async start(options: StrictProviderOptions): Promise<StrictProvider> {
      const provider = await strictProvider(options)
      open.push(provider)
      return provider
    },
    close: () => Promise.all(open.splice(0).map((provider) => provider.close())),
  }
}
