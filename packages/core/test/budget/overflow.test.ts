import { classifyError } from '@precis/core'
import { describe, expect, it } from 'vitest'

const tokens = (more: object = {}) => ({ kind: 'overflow', unit: 'tokens', ...more })
const bytes = { kind: 'overflow', unit: 'bytes' }
const media = (more: object = {}) => ({ kind: 'overflow', unit: 'media', ...more })

describe('classifyError', () => {
  it.each([
    ['Anthropic', 'prompt is too long: 213462 tokens > 200000 maximum', tokens({ input: 213_462, requested: 213_462, limit: 200_000 })],
    [
      'Anthropic, output included',
      'input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000, decrease input length',
      tokens({ limit: 200_000, requested: 210_000, input: 190_000, reply: 20_000 }),
    ],
    ['Anthropic, bytes', 'Request exceeds the maximum size', bytes],
    ['Anthropic, pictures', 'messages: too many images and documents: 101 + 0 > 100', media({ limit: 100 })],
    ['Anthropic, pages', 'Too much media: 0 document pages + 101 images > 100', media({ limit: 100 })],
    [
      'Anthropic, large pictures among many',
      'messages.40.content.0.image.source.base64.data: At least one of the image dimensions exceed max allowed size for many-image requests: 2000 pixels',
      media(),
    ],
    ['vLLM, pictures', 'At most 4 image(s) may be provided in one prompt.', media({ limit: 4 })],
    ['a gateway, pictures', 'Too many images in request. The maximum is 10 images.', media({ limit: 10 })],
    ['Azure, pictures', 'Too many images in request. Max is 10.', media({ limit: 10 })],
    ['a gateway, pictures in a message', 'too many images in the message, max allowed is 16', media({ limit: 16 })],
    ['a gateway, pictures counted', 'Image count 5 exceeds limit 4 per request.', media({ limit: 4 })],
    ['a gateway, more pictures than allowed', 'request contains 54 images, exceeding the maximum of 50 allowed per request', media({ limit: 50 })],
    ['a gateway, pictures over its limit', 'The number of images exceeds the limit of 8.', media({ limit: 8 })],
    ['a gateway, pictures that are too large', 'Images exceed the limit of 5 MB.', { kind: 'other' }],
    ['a gateway, a number that is none of pictures', 'Too many images. Each may have up to 4096 pixels.', media()],
    ['Groq, pictures', 'Too many images provided. This model supports up to 5 images', media({ limit: 5 })],
    [
      'OpenAI Chat',
      "This model's maximum context length is 8192 tokens. However, you requested 9000 tokens (8500 in the messages, 500 in the completion).",
      tokens({ limit: 8_192, requested: 9_000, input: 8_500, reply: 500 }),
    ],
    [
      'OpenAI Chat, functions counted apart',
      "This model's maximum context length is 8192 tokens. However, you requested 9300 tokens (8500 in the messages, 300 in the functions, 500 in the completion).",
      tokens({ limit: 8_192, requested: 9_300, input: 8_800, reply: 500 }),
    ],
    [
      'OpenAI, without a reply',
      "This model's maximum context length is 6000 tokens. However, your messages resulted in 9000 tokens.",
      tokens({ limit: 6_000, requested: 9_000, input: 9_000 }),
    ],
    [
      'DeepSeek, a sum of nobody knows what',
      "This model's maximum context length is 65536 tokens. However, you requested 70000 tokens",
      tokens({ limit: 65_536, requested: 70_000 }),
    ],
    [
      'vLLM, both parts',
      "This model's maximum context length is 32768 tokens. However, you requested 8192 output tokens and your prompt contains at least 24577 input tokens, for a total of at least 32769 tokens.",
      tokens({ limit: 32_768, requested: 32_769, input: 24_577, reply: 8_192 }),
    ],
    ['OpenAI Responses', 'Your input exceeds the context window of this model', tokens()],
    [
      'Google',
      'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).',
      tokens({ input: 1_200_000, requested: 1_200_000, limit: 1_048_576 }),
    ],
    [
      'Vertex AI',
      'Unable to submit request because the input token count is 1230000 but model only supports up to 1048576. Reduce the input token count and try again.',
      tokens({ input: 1_230_000, requested: 1_230_000, limit: 1_048_576 }),
    ],
    [
      'OpenAI, a rate that this request alone exceeds',
      'Request too large for gpt-4o in organization org-1 on tokens per min (TPM): Limit 30000, Requested 48123. The input or output tokens must be reduced in order to run successfully.',
      tokens({ requested: 48_123, limit: 30_000 }),
    ],
    [
      'Groq, the same',
      'Request too large for model `llama` in organization `org` service tier `on_demand` on tokens per minute (TPM): Limit 6000, Requested 9012, please reduce your message size and try again.',
      tokens({ requested: 9_012, limit: 6_000 }),
    ],
    [
      'xAI',
      "This model's maximum prompt length is 131072 but the request contains 537812 tokens.",
      tokens({ limit: 131_072, input: 537_812, requested: 537_812 }),
    ],
    ['Mistral', 'Prompt contains 40000 tokens, too large for model with 32768 maximum context length', tokens({ limit: 32_768 })],
    ['Groq', 'Please reduce the length of the messages or completion.', tokens()],
    ['Bedrock', 'ValidationException: Input is too long for requested model.', tokens()],
    [
      'OpenRouter',
      "This endpoint's maximum context length is 131072 tokens. However, you requested about 140000 tokens (139000 of text input, 1000 in the output).",
      tokens({ limit: 131_072, requested: 140_000, input: 139_000, reply: 1_000 }),
    ],
    ['Together', "The input (9000 tokens) is longer than the model's context length (8192 tokens).", tokens({ input: 9_000, requested: 9_000, limit: 8_192 })],
    [
      'Together, HTTP 422',
      '422 Input validation error: `inputs` tokens + `max_new_tokens` must be <= 65537. Given: 79993 `inputs` tokens and 1024 `max_new_tokens`',
      tokens({ input: 79_993, reply: 1_024, requested: 81_017, limit: 65_537 }),
    ],
    [
      'Text Generation Inference',
      'Input validation error: `inputs` must have less than 1024 tokens. Given: 1054',
      tokens({ input: 1_054, requested: 1_054, limit: 1_024 }),
    ],
    [
      'watsonx',
      'Invalid input argument for Model: the number of input tokens 9432 cannot exceed the total tokens limit 8192 for this model',
      tokens({ input: 9_432, requested: 9_432, limit: 8_192 }),
    ],
    ['Copilot', 'prompt token count of 70000 exceeds the limit of 64000', tokens({ input: 70_000, requested: 70_000, limit: 64_000 })],
    [
      'llama.cpp',
      'request (9000 tokens) exceeds the available context size (8192 tokens), try increasing it',
      tokens({ input: 9_000, requested: 9_000, limit: 8_192 }),
    ],
    ['llama-cpp-python', 'Requested tokens (9000) exceed context window of 8192', tokens({ input: 9_000, requested: 9_000, limit: 8_192 })],
    ['a gateway, in words', 'context window exceeded', tokens()],
    ['another', 'Context size exceeded', tokens()],
    ['another', 'Context limit exceeded', tokens()],
    ['another', 'maximum context length exceeded', tokens()],
    ['a code', 'model_context_window_exceeded', tokens()],
    // github.com/ggml-org/llama.cpp/issues/19774
    ['llama.cpp, with status 500', 'Context size has been exceeded.', tokens()],
    // github.com/cline/cline/issues/5474
    [
      'OpenAI and Azure, where input has a limit of its own',
      'Input tokens exceed the configured limit of 272000 tokens. Your messages resulted in 289650 tokens. Please reduce the length of the messages.',
      tokens({ limit: 272_000, input: 289_650, requested: 289_650 }),
    ],
    ['LM Studio', 'The number of tokens to keep from the initial prompt is greater than the context length', tokens()],
    ['Ollama', 'prompt too long; exceeded max context length by 120 tokens', tokens()],
    ['MiniMax', 'invalid params, context window exceeds limit', tokens()],
    ['Moonshot', 'Your request exceeded model token limit: 131072 (requested: 150000)', tokens({ limit: 131_072, requested: 150_000 })],
    ['vLLM', 'context length is only 4096 tokens', tokens({ limit: 4_096 })],
    ['LiteLLM', "exceeds the model's maximum context length of 8,192", tokens({ limit: 8_192 })],
    ['LM Studio, shift', 'context shift is disabled', tokens()],
  ])('%s overflows', (_, message, expected) => {
    expect(classifyError(new Error(message))).toEqual(expected)
  })

  it.each([
    ['throttling', 'ThrottlingException: Too many tokens, please wait before trying again'],
    ['a rate limit', 'Rate limit reached for gpt-5: too many tokens per minute'],
    ['a quota', 'Current token count exceeds your organization quota'],
    ['a parameter', 'max_tokens must be less than or equal to 4096'],
    ['an output limit', 'Requested max_tokens exceeds the model output limit'],
    ['a temperature', 'temperature exceeds maximum allowed value'],
    ['a schema', 'schema is too long'],
    ['metadata', 'metadata length exceeds maximum allowed'],
    ['an output setting', 'maxOutputTokens value of 339835 but the supported range is 1 to 65536'],
    ['a finish reason', 'LengthFinishReasonError: Could not parse response content as the length limit was reached'],
    ['a plan of so many tokens', 'Your monthly prompt_tokens exceeded the plan. Upgrade.'],
    ['the length of a name', 'tools.0.name: input length exceeds the allowed maximum of 64'],
    ['the bytes of one picture', 'messages.3.content.0.image: image exceeds the limit: 5242880 bytes'],
    ['the size of pictures', 'Images exceed the limit of 4.5 MB'],
    ['the size of pictures in other units', 'images exceed the maximum of 5 MiB'],
    ['the dimensions of pictures', 'Images dimensions exceed maximum 8000'],
    ['the tokens of pictures', 'images exceed the maximum of 2048 tokens'],
    ['a filter', 'content filter: images flagged, severity exceeds the maximum 4'],
    ['a recording', 'The audio is 90000 tokens long; you have just 5'],
    ['anything else', 'socket hang up'],
    ['a vague word without a status', 'too many tokens'],
  ])('%s does not', (_, message) => {
    expect(classifyError(new Error(message))).toEqual({ kind: 'other' })
  })

  it.each([
    'messages.2: `tool_use` ids were found without `tool_result` blocks immediately after: toolu_1.',
    'messages.0.content.0: unexpected `tool_use_id` found in `tool_result` blocks: toolu_1.',
    "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'.",
    "Invalid parameter: messages with role 'tool' must be a response to a preceding message with 'tool_calls'.",
    'No tool call found for function call output with call_id call_1.',
    "Item 'rs_1' of type 'reasoning' was provided without its required following item.",
    'Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.',
    'messages: text content blocks must be non-empty',
  ])('knows a broken history: %s', (message) => {
    expect(classifyError(new Error(message))).toEqual({ kind: 'malformed' })
  })

  it('takes no time for a long row of digits', () => {
    const began = performance.now()
    expect(classifyError(new Error(`Too many images. Max is ${'9'.repeat(100_000)}`))).toEqual(media())
    expect(performance.now() - began).toBeLessThan(1_000)
  })

  it('blames the reply where the reply is at fault', () => {
    const message =
      "This endpoint's maximum context length is 131072 tokens. However, you requested about 1000135 tokens (135 of text input, 1000000 in the output)."
    expect(classifyError(new Error(message))).toEqual({ kind: 'output', limit: 131_072, requested: 1_000_135 })
  })

  it('knows the reply that a refused body asked for, and reads nothing else of it', () => {
    const refused = (requestBodyValues: object) =>
      classifyError(Object.assign(new Error('Your input exceeds the context window of this model'), { requestBodyValues }))
    expect(refused({ max_tokens: 64_000, messages: [{ role: 'user', content: 'Rate limit reached' }] })).toEqual(tokens({ sent: 64_000 }))
    expect(refused({ generationConfig: { maxOutputTokens: 8_192 } })).toEqual(tokens({ sent: 8_192 }))
    expect(refused({ max_tokens: -1 })).toEqual(tokens())
  })

  it('looks through causes, bodies, lists and JSON in strings', () => {
    const cause = { responseBody: JSON.stringify({ error: { code: 'context_length_exceeded', message: 'see code' } }) }
    expect(classifyError(new Error('bad request', { cause }))).toEqual(tokens())
    expect(classifyError({ errors: [{ lastError: new Error('prompt is too long: 9 tokens > 8 maximum') }] })).toEqual(
      tokens({ input: 9, requested: 9, limit: 8 }),
    )
  })

  it('looks through what OpenRouter was told by others, as the OpenAI client has it', () => {
    const metadata = { raw: JSON.stringify({ error: { message: 'prompt is too long: 9 tokens > 8 maximum' } }) }
    const error = Object.assign(new Error('400 Provider returned error'), { status: 400, error: { message: 'Provider returned error', code: 400, metadata } })
    expect(classifyError(error)).toEqual(tokens({ input: 9, requested: 9, limit: 8 }))
  })

  it('ends on circles and odd values', () => {
    const circle: { cause?: unknown } = {}
    circle.cause = circle
    const hostile = Object.defineProperty({}, 'message', {
      get: () => {
        throw new Error('no')
      },
      enumerable: true,
    })
    for (const value of [circle, hostile, null, undefined, 7, 'text', [], Symbol('x')]) expect(classifyError(value)).toEqual({ kind: 'other' })
  })

  it('believes the status', () => {
    // Larger than the rate by itself: waiting does not help. Within it: it does.
    const rate = (requested: number) => `Request too large for gpt-4o on tokens per min (TPM): Limit 30000, Requested ${requested}.`
    expect(classifyError({ status: 429, message: rate(40_000) })).toMatchObject({ kind: 'overflow', limit: 30_000 })
    expect(classifyError({ status: 429, message: rate(20_000) })).toEqual({ kind: 'other' })
    expect(classifyError({ status: 429, message: 'Rate limit reached for gpt-4o on tokens per min (TPM): Limit 30000, Used 29000, Requested 2000.' })).toEqual({
      kind: 'other',
    })
    expect(classifyError({ status: 429, message: 'prompt is too long: 9 tokens > 8 maximum' })).toEqual({ kind: 'other' })
    expect(classifyError({ statusCode: 413, message: '' })).toEqual(bytes)
    expect(classifyError({ statusCode: 400, message: 'token limit exceeded' })).toEqual(tokens())
  })

  it('takes the user’s own wordings first', () => {
    const own = [{ kind: 'overflow', pattern: /zu lang: (?<requested>\d+)/ }] as const
    expect(classifyError(new Error('zu lang: 123'), own)).toEqual(tokens({ requested: 123 }))
  })

  it('is linear on hostile text', () => {
    expect(classifyError(new Error('maximum context length is '.repeat(20_000)))).toEqual({ kind: 'other' })
  })
})
