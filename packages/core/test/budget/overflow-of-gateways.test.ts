import { classifyError } from '@precis/core'
import { describe, expect, it } from 'vitest'

const tokens = (more: object = {}) => ({ kind: 'overflow', unit: 'tokens', ...more })
const bytes = { kind: 'overflow', unit: 'bytes' }

describe('a refusal in the words of a gateway or a server', () => {
  it.each([
    ['Z.AI', 'Prompt exceeds max length', tokens()],
    ['Z.AI, in other words', 'tokens in request more than max tokens allowed', tokens()],
    ['Ark', 'Input length 203743 exceeds the maximum length 202752', tokens({ input: 203_743, requested: 203_743, limit: 202_752 })],
    ['DashScope', '<400> InternalError.Algo.InvalidParameter: Range of input length should be [1, 30720]', tokens({ limit: 30_720 })],
    ['SiliconFlow', 'length of prompt_tokens (57535) must be less than max_seq_len (32768).', tokens({ input: 57_535, requested: 57_535, limit: 32_768 })],
    [
      'a gateway that counts the prompt alone',
      'The number of input tokens (167594) has exceeded max_prompt_tokens (163840) limit',
      tokens({ input: 167_594, requested: 167_594, limit: 163_840 }),
    ],
    ['Nova', 'Input Tokens Exceeded: Number of input tokens exceeds maximum length. Please update the input to try again.', tokens()],
    [
      'SGLang',
      "Requested token count exceeds the model's maximum context length of 32768 tokens. You requested a total of 40000 tokens: 30000 tokens from the input messages and 10000 tokens for the completion. Please reduce the number of tokens.",
      tokens({ limit: 32_768, input: 30_000, reply: 10_000, requested: 40_000 }),
    ],
    [
      'Azure, of old',
      "This model's maximum context length is 8192 tokens, however you requested 9500 tokens (7200 in your prompt; 2300 for the completion). Please reduce your prompt; or completion length.",
      tokens({ limit: 8_192, requested: 9_500, input: 7_200, reply: 2_300 }),
    ],
    [
      'vLLM, by subtraction',
      "'max_tokens' or 'max_completion_tokens' is too large: 8192. This model's maximum context length is 32768 tokens and your request has 30000 input tokens (8192 > 32768 - 30000).",
      tokens({ limit: 32_768, input: 30_000, reply: 8_192, requested: 38_192 }),
    ],
    [
      'vLLM, a prompt without a chat',
      'The decoder prompt (length 9000) is longer than the maximum model length of 8192. Make sure that `max_model_len` is no smaller than the number of text tokens.',
      tokens({ input: 9_000, requested: 9_000, limit: 8_192 }),
    ],
    [
      'SGLang, the prompt alone',
      'Input length (9000 tokens) exceeds the maximum allowed length (8192 tokens). Use a shorter input or enable --allow-auto-truncate.',
      tokens({ input: 9_000, requested: 9_000, limit: 8_192 }),
    ],
    [
      'SambaNova',
      'Requested generation length 1 is not possible! The provided prompt is 4309 tokens long, so generating 1 tokens requires a sequence length of 4310, but the maximum supported sequence length is just 4096!',
      tokens({ input: 4_309, requested: 4_309, limit: 4_096 }),
    ],
    ['TensorRT-LLM', 'Prompt length (9000) exceeds maximum input length (8192).', tokens({ input: 9_000, requested: 9_000, limit: 8_192 })],
    ['a server of open weights', 'Prompt tokens (9000) exceeds context size (8192)', tokens({ input: 9_000, requested: 9_000, limit: 8_192 })],
    ['Alibaba', 'The requested input length of 40000 tokens exceeds the allowed maximum.', tokens()],
    ['LiteLLM, by its class', 'litellm.ContextWindowExceededError: BadRequestError', tokens()],
    ['Google, of bytes, with HTTP 400', 'Request payload size exceeds the limit: 20971520 bytes.', bytes],
    // github.com/lmstudio-ai/lmstudio-bug-tracker/issues/546
    [
      'LM Studio, with numbers',
      'Trying to keep the first 111490 tokens when context the overflows. However, the model is loaded with context length of only 32768 tokens, which is not enough. Try to load the model with a larger context length, or provide a shorter input',
      tokens({ limit: 32_768 }),
    ],
    [
      'Cloudflare Workers AI',
      'AiError: 5021: The estimated number of input and maximum output tokens (155740) exceeded this model context window limit (128000).',
      tokens({ requested: 155_740, limit: 128_000 }),
    ],
    ['Zhipu', 'Prompt 超长', tokens()],
    // github.com/cline/cline/issues/5140
    [
      'Cerebras',
      'Please reduce the length of the messages or completion. Current length is 42328 while limit is 40000',
      tokens({ input: 42_328, requested: 42_328, limit: 40_000 }),
    ],
    ['Fireworks', 'The prompt is too long: 150000, model maximum context length: 131071', tokens({ input: 150_000, requested: 150_000, limit: 131_071 })],
    [
      'OpenAI, one output of millions of characters,',
      "Invalid 'input[3].output': string too long. Expected a string with maximum length 10485760, but got a string with length 11000000 instead.",
      bytes,
    ],
  ])('%s overflows', (_, message, expected) => {
    expect(classifyError(new Error(message))).toEqual(expected)
  })

  it('blames the reply where the reply is at fault', () => {
    const old =
      "This model's maximum context length is 8192 tokens, however you requested 9500 tokens (1200 in your prompt; 8300 for the completion). Please reduce your prompt; or completion length."
    expect(classifyError(new Error(old))).toEqual({ kind: 'output', limit: 8_192, requested: 9_500 })
  })
})

describe('a string that is too long is no history that is', () => {
  it.each([
    [
      'an id that is too long',
      "Invalid 'messages[2].tool_calls[0].id': string too long. Expected a string with maximum length 40, but got a string with length 51 instead.",
    ],
    [
      'a description, where a gateway calls it an overflow',
      "litellm.ContextWindowExceededError: OpenAIException - Invalid 'tools[0].function.description': string too long. Expected a string with maximum length 1024, but got a string with length 1490 instead.",
    ],
  ])('%s', (_, message) => {
    expect(classifyError(new Error(message))).toEqual({ kind: 'other' })
  })

  it('whatever its code, and the class of what it caused', () => {
    const message = "Invalid 'input[2].call_id': string too long. Expected a string with maximum length 64, but got a string with length 90 instead."
    expect(classifyError({ status: 400, error: { code: 'string_above_max_length', message } })).toEqual({ kind: 'other' })
    expect(classifyError({ name: 'ContextWindowExceededError', message: 'see cause', cause: { message } })).toEqual({ kind: 'other' })
  })
})
