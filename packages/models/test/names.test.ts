import { knownLimits, knownModel } from '@precis/models'
import { describe, expect, it } from 'vitest'

/** What a framework calls the model, who serves it in its words, and the row that answers: provider, id, whether with prices. */
const spellings: readonly (readonly [rule: string, id: string, provider: string | undefined, found: readonly [string, string], priced: boolean])[] = [
  ['AI SDK, OpenAI Responses', 'gpt-5.2', 'openai.responses', ['openai', 'gpt-5.2'], true],
  ['AI SDK, OpenAI Chat', 'gpt-5.2', 'openai.chat', ['openai', 'gpt-5.2'], true],
  ['AI SDK, Anthropic', 'claude-opus-5-5', 'anthropic.messages', ['anthropic', 'claude-opus-5-5'], true],
  ['AI SDK, Google', 'gemini-2.5-pro', 'google.generative-ai', ['google', 'gemini-2.5-pro'], true],
  ['AI SDK, Vertex', 'gemini-2.5-pro', 'google.vertex.chat', ['google-vertex', 'gemini-2.5-pro'], true],
  ['AI SDK, Claude on Vertex', 'claude-sonnet-4-5@20250929', 'googleVertex.anthropic.messages', ['anthropic', 'claude-sonnet-4-5-20250929'], false],
  ['AI SDK, Azure, deployment called like a model', 'gpt-4o', 'azure.responses', ['azure', 'gpt-4o'], true],
  ['AI SDK, Bedrock', 'anthropic.claude-opus-5-5', 'amazon-bedrock', ['amazon-bedrock', 'anthropic.claude-opus-5-5'], true],
  ['AI SDK, Claude on Bedrock', 'us.anthropic.claude-opus-5-5', 'bedrock.anthropic.messages', ['amazon-bedrock', 'us.anthropic.claude-opus-5-5'], true],
  ['AI SDK, Gateway', 'anthropic/claude-sonnet-4.5', 'gateway', ['vercel-ai-gateway', 'anthropic/claude-sonnet-4.5'], true],
  ['AI SDK, a compatible provider called like one we know', 'openai/gpt-oss-120b', 'groq.chat', ['groq', 'openai/gpt-oss-120b'], true],
  ['a provider nobody knows, a laboratory’s own model', 'gpt-5.2', 'our-proxy.chat', ['openai', 'gpt-5.2'], true],
  ['an OpenAI client pointed at a gateway', 'anthropic/claude-opus-5-5', 'openai.chat', ['anthropic', 'claude-opus-5-5'], true],
  ['LangChain, `model` alone', 'gpt-4.1-mini', undefined, ['openai', 'gpt-4.1-mini'], true],
  ['LangChain, `initChatModel`', 'anthropic:claude-opus-5-5', undefined, ['anthropic', 'claude-opus-5-5'], true],
  ['LangChain, `initChatModel`, Google', 'google_genai:gemini-2.5-pro', undefined, ['google', 'gemini-2.5-pro'], true],
  ['LangChain, Bedrock by `ls_provider`', 'amazon.nova-lite-v1:0', 'amazon_bedrock', ['amazon-bedrock', 'amazon.nova-lite-v1:0'], true],
  ['gateway string', 'openai/gpt-5.2', undefined, ['openai', 'gpt-5.2'], true],
  ['gateway string, dots for dashes', 'anthropic/claude-sonnet-4.5', undefined, ['anthropic', 'claude-sonnet-4-5'], true],
  ['gateway string, xAI', 'x-ai/grok-4.7', undefined, ['xai', 'grok-4.7'], true],
  ['gateway string, an open model that its company serves', 'deepseek/deepseek-v4-pro', undefined, ['deepseek', 'deepseek-v4-pro'], true],
  ['LiteLLM, Vertex', 'vertex_ai/gemini-2.5-pro', undefined, ['google-vertex', 'gemini-2.5-pro'], true],
  ['LiteLLM, Gemini', 'gemini/gemini-2.5-pro', undefined, ['google', 'gemini-2.5-pro'], true],
  ['LiteLLM, OpenRouter', 'openrouter/anthropic/claude-sonnet-4.5', undefined, ['openrouter', 'anthropic/claude-sonnet-4.5'], true],
  ['LiteLLM, Bedrock Converse', 'bedrock/converse/amazon.nova-lite-v1:0', undefined, ['amazon-bedrock', 'amazon.nova-lite-v1:0'], false],
  ['Bedrock, no provider said', 'us.anthropic.claude-opus-5-5', undefined, ['amazon-bedrock', 'us.anthropic.claude-opus-5-5'], true],
  ['Bedrock, profile of a region without a row', 'mx.amazon.nova-lite-v1:0', 'amazon-bedrock', ['amazon-bedrock', 'amazon.nova-lite-v1:0'], false],
  [
    'Bedrock, ARN of an inference profile',
    'arn:aws:bedrock:us-east-1:123456789012:inference-profile/us.anthropic.claude-sonnet-4-5-20250929-v1:0',
    undefined,
    ['amazon-bedrock', 'us.anthropic.claude-sonnet-4-5-20250929-v1:0'],
    true,
  ],
  [
    'Bedrock, ARN of a model',
    'arn:aws-us-gov:bedrock:us-gov-west-1::foundation-model/amazon.nova-lite-v1:0',
    'amazon-bedrock',
    ['amazon-bedrock', 'amazon.nova-lite-v1:0'],
    true,
  ],
  ['Vertex, publisher', 'publishers/google/models/gemini-2.5-pro', undefined, ['google-vertex', 'gemini-2.5-pro'], true],
  [
    'Vertex, whole name',
    'projects/p/locations/us-east5/publishers/anthropic/models/claude-sonnet-4-5@20250929',
    undefined,
    ['anthropic', 'claude-sonnet-4-5-20250929'],
    false,
  ],
  ['Vertex, default version', 'claude-sonnet-4-5@default', 'vertex', ['anthropic', 'claude-sonnet-4-5'], false],
  ['Gemini API, whole name', 'models/gemini-2.5-pro', undefined, ['google', 'gemini-2.5-pro'], true],
  ['OpenRouter, a choice of servers', 'anthropic/claude-sonnet-4.5:nitro', 'openrouter', ['openrouter', 'anthropic/claude-sonnet-4.5'], false],
  ['OpenRouter, thinking', 'anthropic/claude-sonnet-4.5:thinking', 'openrouter', ['openrouter', 'anthropic/claude-sonnet-4.5'], false],
  ['OpenRouter, free with a row', 'google/gemma-4-31b-it:free', 'openrouter', ['openrouter', 'google/gemma-4-31b-it:free'], false],
  ['snapshot with a row of its own', 'gpt-4o-2024-05-13', undefined, ['openai', 'gpt-4o-2024-05-13'], true],
  ['snapshot by day, OpenAI', 'gpt-5.2-2025-12-11', undefined, ['openai', 'gpt-5.2'], true],
  ['snapshot by day, Anthropic', 'claude-opus-4-6-20260205', undefined, ['anthropic', 'claude-opus-4-6'], true],
  ['-latest, Anthropic', 'claude-opus-4-6-latest', undefined, ['anthropic', 'claude-opus-4-6'], true],
  ['-latest, xAI', 'grok-4.7-latest', undefined, ['xai', 'grok-4.7'], true],
  ['-latest with a row of its own', 'gpt-5-chat-latest', undefined, ['openai', 'gpt-5-chat-latest'], true],
  ['a fine-tuned model of OpenAI', 'ft:gpt-4o-mini-2024-07-18:acme::B1x2', 'our-proxy', ['openai', 'gpt-4o-mini'], false],
  ['a fine-tuned model of OpenAI, said by the provider', 'ft:gpt-4o-mini-2024-07-18:acme::B1x2', 'openai.responses', ['openai', 'gpt-4o-mini'], false],
  ['a fine-tuned model of OpenAI, no provider said', 'ft:gpt-4o-2024-05-13:acme::B1x2', undefined, ['openai', 'gpt-4o-2024-05-13'], false],
  ['a fine-tuned model of OpenAI, gateway string', 'openai/ft:gpt-4o-mini-2024-07-18:acme::B1x2', undefined, ['openai', 'gpt-4o-mini'], false],
  ['LiteLLM, open weights at Groq', 'groq/openai/gpt-oss-120b', undefined, ['groq', 'openai/gpt-oss-120b'], true],
  ['LiteLLM, open weights at Together', 'together_ai/openai/gpt-oss-120b', undefined, ['together', 'openai/gpt-oss-120b'], true],
  ['LiteLLM, open weights through a proxy', 'cerebras/gpt-oss-120b', 'openai.chat', ['cerebras', 'gpt-oss-120b'], true],
  ['open weights at Workers AI', 'workers-ai/@cf/openai/gpt-oss-120b', undefined, ['cloudflare-workers-ai', '@cf/openai/gpt-oss-120b'], true],
  ['LangChain, open weights at Groq', 'groq:openai/gpt-oss-20b', undefined, ['groq', 'openai/gpt-oss-20b'], true],
  ['the first GPT-4, where its laboratory serves it', 'gpt-4', 'openai.chat', ['openai', 'gpt-4'], true],
  ['the first GPT-4, gateway string', 'openai/gpt-4', 'our-proxy.chat', ['openai', 'gpt-4'], true],
  ['Fireworks', 'accounts/fireworks/models/kimi-k3', undefined, ['fireworks', 'accounts/fireworks/models/kimi-k3'], true],
  ['Workers AI', '@cf/openai/gpt-oss-120b', undefined, ['cloudflare-workers-ai', '@cf/openai/gpt-oss-120b'], true],
]

/** Nobody can know, so nothing is said. */
const unknown: readonly (readonly [why: string, id: unknown, provider?: string])[] = [
  ['a longer name', 'gpt-4-32k'],
  ['a longer name', 'gpt-4.1-maxi'],
  ['a longer name', 'gpt-5.2-codex-whatever'],
  ['a shorter name', 'gpt'],
  ['a shorter name', 'claude-opus'],
  ['an older snapshot by number', 'gpt-4-0613'],
  ['a window of its own behind the name', 'amazon.nova-lite-v1:0:24k', 'amazon-bedrock'],
  ['a deployment', 'prod-chat', 'azure.responses'],
  ['a deployment that begins like a model', 'gpt-4o-prod', 'azure.chat'],
  ['a deployment called like the first GPT-4, which may be Turbo', 'gpt-4', 'azure.chat'],
  ['a deployment called like the first GPT-4, said by a prefix', 'azure/gpt-4'],
  ['the first GPT-4 or Turbo, at a provider nobody knows', 'gpt-4', 'our-proxy.chat'],
  ['an application’s inference profile', 'arn:aws:bedrock:us-east-1:123456789012:application-inference-profile/abc123'],
  ['provisioned throughput', 'arn:aws:bedrock:us-east-1:123456789012:provisioned-model/abc123'],
  ['an ARN of something else', 'arn:aws:s3:::gpt-4o'],
  ['an endpoint of Vertex', 'projects/p/locations/l/endpoints/123'],
  ['a tuned model of Gemini', 'tunedModels/mine-123'],
  ['Ollama: the server decides', 'llama3.3:70b'],
  ['Ollama: the server decides', 'gpt-oss:20b'],
  ['Ollama: the server decides', 'mistral:latest'],
  ['Ollama, said by the provider', 'deepseek-v4-pro', 'ollama'],
  ['Ollama, said by a prefix', 'ollama/deepseek-v4-pro'],
  ['Ollama, said by a prefix', 'ollama:deepseek-v4-pro'],
  ['LM Studio', 'openai/gpt-oss-120b', 'lmstudio.chat'],
  ['vLLM', 'deepseek-v4-pro', 'vllm'],
  ['GitHub Models gives less than the window', 'openai/gpt-4.1', 'github'],
  ['Copilot gives less than the window', 'gpt-5.2', 'github-copilot.chat'],
  ['Copilot, said by a prefix', 'github_copilot/gpt-5.2'],
  ['open weights, nobody says where', 'openai/gpt-oss-120b'],
  ['open weights, nobody says where', 'google/gemma-4-31b-it'],
  ['open weights, a laboratory before them', 'gemini/gemma-4-31b-it'],
  ['open weights that somebody deployed at Vertex', 'vertex_ai/gemma-4-31b-it'],
  ['open weights where there is no row of them', 'groq/openai/gpt-oss-1b'],
  ['open weights, nobody says where', 'moonshotai/Kimi-K2.5'],
  ['open weights at a provider nobody knows', 'deepseek-v4-pro', 'our-servers.chat'],
  ['OpenRouter, free without a row', 'anthropic/claude-sonnet-4.5:free', 'openrouter'],
  ['OpenRouter, a server with another window', 'anthropic/claude-sonnet-4.5:extended', 'openrouter'],
  ['a router', 'openrouter/auto', 'openrouter'],
  ['a router', 'openrouter/auto'],
  ['a router', 'auto', 'openrouter'],
  ['a router', 'accounts/fireworks/routers/glm-latest'],
  ['a batch variant', 'anthropic/claude-opus-4.5-batch', 'gateway'],
  ['a batch variant', 'gpt-4.1-batch', 'openai.responses'],
  ['a tuned model of one that nobody knows', 'ft:babbage-002:acme::B1x2', 'openai.chat'],
  ['another provider’s id', 'anthropic.claude-opus-5-5', 'openai.responses'],
  ['nothing', ''],
  ['blanks', ' gpt-5.2'],
  ['no string', undefined],
  ['no string', null],
  ['no string', 5],
  ['no string', { id: 'gpt-5.2' }],
  ['a name of every object', '__proto__'],
  ['a name of every object', 'constructor'],
  ['a name of every object', 'openai/__proto__'],
  ['a name of every object', '__proto__/gpt-5.2'],
  ['a name of every object', 'toString', '__proto__'],
  ['a megabyte', 'gpt-5.2'.repeat(150_000)],
  ['a megabyte', '/'.repeat(1_000_000)],
]

describe('a model is found by what each framework calls it', () => {
  it.each(spellings)('%s: %s', (_rule, id, provider, [at, row], priced) => {
    const found = knownModel(id, provider === undefined ? {} : { provider })
    expect([found?.provider, found?.id, found?.prices !== undefined]).toEqual([at, row, priced])
    expect(knownLimits(id, provider === undefined ? {} : { provider })).toEqual(found?.limits)
  })
})

describe('nothing is guessed', () => {
  it.each(unknown)('%s', (_why, id, provider) => {
    const options = typeof provider === 'string' ? { provider } : {}
    expect(knownModel(id as string, options)).toBeUndefined()
    expect(knownLimits(id as string, options)).toBeUndefined()
  })

  it('a provider of a megabyte is one that nobody knows', () => {
    expect(knownModel('deepseek-v4-pro', { provider: 'x.'.repeat(500_000) })).toBeUndefined()
    expect(knownModel('gpt-5.2', { provider: 'x.'.repeat(500_000) })?.provider).toBe('openai')
  })
})
