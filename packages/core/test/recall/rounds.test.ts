import { assistant, call, generateHistory, neutralCodec, result, toAnthropic, toOpenAIChat, user, validateAnthropic, validateOpenAIChat } from '@precis/testkit'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createCompactor, type Message } from '../../src/index.ts'
import { isKeptElsewhere, mayRefuseTool, offersRecall } from '../../src/recall/offer.ts'
import { leftMessages, mayLookUp, ownRounds, placeRounds, roomForLookUps, roundPlace, shownRounds, splitCalls } from '../../src/recall/rounds.ts'

describe('offered', () => {
  const base = { tools: ['read'], compacted: true, offered: false, refused: false, keptElsewhere: false }
  it.each<readonly [string, Partial<typeof base>, boolean]>([
    ['where something has left and the call has tools', {}, true],
    ['not before', { compacted: false }, false],
    ['once offered it stays', { compacted: false, offered: true }, true],
    ['not without tools', { tools: [], offered: true }, false],
    ['not to a model that refused it', { refused: true, offered: true }, false],
    ['not where the provider keeps the conversation', { keptElsewhere: true, offered: true }, false],
    ['not under a name that is taken', { tools: ['recall'], offered: true }, false],
  ])('%s', (_, more, expected) => {
    expect(offersRecall('recall', { ...base, ...more })).toBe(expected)
  })
  it.each<readonly [unknown, boolean]>([
    [{ openai: { previousResponseId: 'resp_1' } }, true],
    [{ openai: { conversation: 'conv_1' } }, true],
    [{ azure: { prompt: { id: 'pmpt_1' } } }, true],
    [{ google: { cachedContent: 'cachedContents/1' } }, true],
    [{ openai: { previousResponseId: null, prompt: 'draw' } }, false],
    [{ openai: undefined }, false],
    [undefined, false],
  ])('%j is kept elsewhere: %s', (options, expected) => {
    expect(isKeptElsewhere(options)).toBe(expected)
  })
  it.each<readonly [string, unknown, boolean]>([
    ['400', { statusCode: 400 }, true],
    ['in a cause', new Error('refused', { cause: { status: 422 } }), true],
    ['after a retry', { lastError: { statusCode: 404 } }, true],
    ['too long', { statusCode: 400, message: 'prompt is too long: 210000 tokens > 200000' }, false],
    [
      'an image',
      { statusCode: 400, message: 'messages.3.content.0.image.source: Could not process image', responseBody: '{"type":"invalid_request_error"}' },
      false,
    ],
    ['the reply', { statusCode: 400, message: "Unsupported parameter: 'max_tokens' is not supported with this model." }, false],
    ['a model', { status: 404, message: 'The model `gpt-x` does not exist or you do not have access to it.' }, false],
    ['a schema of the reply', { status: 400, message: "Invalid schema for response_format 'reply'" }, false],
    ['a call of an invalid history', { status: 400, message: '`tool_use` ids were found without `tool_result` blocks' }, false],
    ['rights', { statusCode: 401 }, false],
    ['rates', { status: 429 }, false],
    ['failures', { status: 503 }, false],
    ['no status', new Error('fetch failed'), false],
    ['nothing', undefined, false],
  ])('asked again without it: %s', (_, error, expected) => {
    expect(mayRefuseTool(error)).toBe(expected)
  })
  it.each([
    'registry.ollama.ai/library/deepseek-coder-v2:latest does not support tools', // Ollama
    'No endpoints found that support tool use. To learn more about provider routing, visit: https://openrouter.ai', // OpenRouter
    'deepinfra error: Tool calling is not supported for model: mistralai/Mistral-Small-24B-Instruct-2501', // DeepInfra
    'tools is not supported in this model.', // OpenAI
    'Function calling is not enabled for models/gemma-3', // Google
    'deepseek-reasoner does not support this Function Calling', // DeepSeek
    "Invalid schema for function 'precis_recall': schema must be a JSON Schema of 'type: \"object\"'", // OpenAI, DeepSeek
    "Unable to submit request because `precis_recall` functionDeclaration schema didn't specify the schema type field", // Vertex AI
    "Invalid value at 'request.tools[0].function_declarations[53].parameters'", // Google
    'tools.0.custom.input_schema: JSON schema is invalid', // Anthropic
    "This model doesn't support tool use in streaming mode.", // Bedrock
    'Failed to initialize samplers: failed to parse grammar', // llama.cpp
    'Request contains an invalid argument.', // Google, whatever it is
    '400 Provider returned error', // OpenRouter
    'Bad Request',
  ])('asked again without it: %s', (message) => {
    expect(mayRefuseTool({ statusCode: 400, message })).toBe(true)
  })
  it('asked again without it where the body says so', () => {
    const responseBody = '{"error":{"message":"Provider returned error","metadata":{"raw":"tool choice requires --enable-auto-tool-choice"}}}'
    expect(mayRefuseTool({ statusCode: 400, message: 'Invalid input', responseBody })).toBe(true)
  })
})

describe('a round', () => {
  it('is begun twice in a call, and not after half of its time', () => {
    expect([0, 1, 2].map((rounds) => mayLookUp({ rounds, elapsed: 0 }))).toEqual([true, true, false])
    expect([400, 500, 600].map((elapsed) => mayLookUp({ rounds: 0, elapsed, deadline: 1_000 }))).toEqual([true, false, false])
  })
  it('takes half of what is free at most', () => {
    const room = (budget: number | null, used: number, lookUps: number) => roomForLookUps({ budget, used, lookUps })
    expect(room(null, 0, 1)).toEqual({ answered: 1, each: 4_000 })
    expect(room(10_000, 8_000, 1)).toEqual({ answered: 1, each: 1_000 })
    expect(room(10_000, 8_000, 2)).toEqual({ answered: 2, each: 500 })
    expect(room(10_000, 12_000, 1)).toEqual({ answered: 1, each: 300 })
  })
  it('answers no more look-ups than there is room for', () => {
    expect(roomForLookUps({ budget: 10_000, used: 8_000, lookUps: 10 })).toEqual({ answered: 3, each: 333 })
    expect(roomForLookUps({ budget: 10_000, used: 12_000, lookUps: 10 })).toEqual({ answered: 1, each: 300 })
  })
  it.each([
    ['a', 'return'],
    ['', 'return'],
    ['o', 'round'],
    ['oo', 'round'],
    ['oa', 'beside'],
  ])('%s: %s', (calls, next) => {
    const split = splitCalls([...calls], (one) => one === 'o')
    expect(split.next).toBe(next)
    expect(split.ours.length + split.theirs.length).toBe(calls.length)
  })
})

describe('a round stays where it was asked for', () => {
  const before = [user('go'), call('t', '1', {}), result('1', 'x')]
  const behind = [assistant('done'), user('and?')]
  const place = roundPlace(before, 'cp')
  it('until the next compaction, and in its own history alone', () => {
    const at = (history: readonly Message[], checkpoint: string) => shownRounds([place], history, checkpoint)
    const another = [user('gone'), ...before.slice(1), ...behind]
    expect(at([...before, ...behind], 'cp')).toEqual({ shown: [place], kept: [place] })
    expect(at([...before, ...behind], 'other')).toEqual({ shown: [], kept: [] })
    // Of another conversation, or of a branch that may come back.
    expect(at(before.slice(0, 2), 'cp')).toEqual({ shown: [], kept: [place] })
    expect(at(another, 'other')).toEqual({ shown: [], kept: [place] })
    expect(ownRounds([place], another)).toEqual([])
  })
  it('where a late result took its call along', () => {
    const [asked, spoken, late] = [call('read_file', 'late', {}), assistant('Not yet.'), result('late', 'Here it is.')]
    const told = [...before, asked, user('Is it there?')]
    const own = roundPlace(told, 'cp')
    const context = [user('summary'), told.at(-1) as Message, spoken, asked, late]
    const at = (shown: readonly Message[]) => placeRounds([own], [...told, spoken, late], shown, roleOf)
    expect(at(context)).toEqual([{ round: own, at: 2 }])
    // Shown in other words, it cannot be told apart from the call.
    expect(at(context.with(2, assistant('[…]')))).toEqual([])
  })
  it('counted from the end; nowhere rather than at a wrong place', () => {
    const context = [user('summary'), before[2] as Message, ...behind]
    expect(placeRounds([place], [...before, ...behind], context, roleOf)).toEqual([{ round: place, at: 2 }])
    expect(placeRounds([place], before, context.slice(0, 2), roleOf)).toEqual([{ round: place, at: 2 }])
    expect(placeRounds([place], [...before, ...behind], [user('summary'), user('and?')], roleOf)).toEqual([])
  })
  it('leaves every context valid', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 5_000 }), fc.integer({ min: 0, max: 6 }), fc.integer({ min: 200, max: 2_000 }), async (seed, back, window) => {
        const history = generateHistory(seed)
        const asks = history.flatMap((message, at) => (message.role === 'user' || message.role === 'tool' ? [at + 1] : []))
        const end = asks.at(-1 - back) ?? asks[0]
        fc.pre(end !== undefined && valid(history.slice(0, end)))
        const session = createCompactor<Message>({ codec: neutralCodec, redact: false, limits: { contextWindow: 0, maxInput: window } }).session('s')
        const asked = history.slice(0, end)
        const first = await session.compact(asked).catch(() => undefined)
        const later = first && (await session.view(history))
        fc.pre(first !== undefined && later !== undefined && valid(later))
        const rounds = [{ ...roundPlace(asked, 'cp'), messages: [call('recall', 'our_1', {}), result('our_1', 'found')] }]
        const placed = placeRounds(shownRounds(rounds, history, 'cp').shown, history, later, roleOf)
        const context = later.flatMap((message, at) => [...placed.flatMap((one) => (one.at === at ? one.round.messages : [])), message])
        expect(broken([...context, ...placed.flatMap((one) => (one.at === later.length ? one.round.messages : []))])).toEqual([])
      }),
      { numRuns: 60 },
    )
  })
  it('what has left is what is not shown as it is', () => {
    const [a, b, c] = before
    expect([...leftMessages(before, [a, { ...b }, c])]).toEqual([1])
    expect(leftMessages(before, before).size).toBe(0)
  })
})

const roleOf = ({ role }: Message): string => role
const broken = (messages: readonly Message[]) => [
  ...validateAnthropic(toAnthropic(messages)).filter(({ rule }) => rule !== 'no-prefill'),
  ...validateOpenAIChat(toOpenAIChat(messages)),
]
const valid = (messages: readonly Message[]): boolean => broken(messages).length === 0
