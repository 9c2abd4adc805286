import type { Message } from '@precis/core'
import {
  createRandom,
  toAnthropic,
  toGemini,
  toOpenAIChat,
  toOpenAIResponses,
  type Violation,
  validateAnthropic,
  validateGemini,
  validateOpenAIChat,
  validateOpenAIResponses,
} from '@precis/testkit'
import type { WireName } from '../src/index.ts'

type Body = Readonly<Record<string, unknown>>

/** What a provider's own rules say about a body, and a body for a history: both know nothing of the readers. */
export const provider: Readonly<
  Record<
    WireName,
    {
      readonly list: string
      readonly values: (messages: readonly Message[]) => readonly object[]
      readonly rest: Body
      readonly refuses: (values: readonly never[]) => readonly Violation[]
    }
  >
> = {
  'openai-chat': {
    list: 'messages',
    values: toOpenAIChat,
    rest: { model: 'gpt-5.2', max_completion_tokens: 4_000, tools: [{ type: 'function', function: { name: 'read', parameters: {}, strict: true } }], seed: 7 },
    refuses: (values) => validateOpenAIChat(values),
  },
  'openai-responses': {
    list: 'input',
    values: toOpenAIResponses,
    rest: {
      model: 'gpt-5.2',
      instructions: 'be brief',
      max_output_tokens: 4_000,
      tools: [{ type: 'function', name: 'read', parameters: {}, strict: true }, { type: 'web_search' }],
      store: false,
    },
    refuses: (values) => validateOpenAIResponses(values),
  },
  anthropic: {
    list: 'messages',
    values: toAnthropic,
    rest: {
      model: 'claude-sonnet-4-5',
      system: [{ type: 'text', text: 'be brief', cache_control: { type: 'ephemeral' } }],
      max_tokens: 4_000,
      tools: [
        { name: 'read', input_schema: {} },
        { type: 'bash_20250124', name: 'bash' },
      ],
      metadata: { user_id: 'u' },
    },
    refuses: (values) => validateAnthropic(values),
  },
  gemini: {
    list: 'contents',
    values: toGemini,
    rest: {
      systemInstruction: { parts: [{ text: 'be brief' }] },
      generationConfig: { maxOutputTokens: 4_000, topK: 3 },
      tools: [{ functionDeclarations: [{ name: 'read', parameters: {} }] }, { googleSearch: {} }],
      safetySettings: [],
    },
    refuses: (values) => validateGemini(values),
  },
}

/** A body of a history, with fields here and there that no reader has heard of. */
export function bodyOf(name: WireName, messages: readonly Message[], seed: number): Body {
  const random = createRandom(seed)
  const strange = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(strange)
    if (typeof value !== 'object' || value === null) return value
    const own = Object.fromEntries(Object.entries(value).map(([key, held]) => [key, key === 'input' || key === 'args' ? held : strange(held)]))
    return random.chance(0.3) ? { ...own, x_unknown: { seed: random.between(1, 9) } } : own
  }
  const { list, values, rest } = provider[name]
  return { ...rest, [list]: values(messages).map(strange), x_unknown: { of: 'nobody' } }
}
