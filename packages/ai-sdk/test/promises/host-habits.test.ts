import { createOpenAI } from '@ai-sdk/openai'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { createCompaction, withCompaction } from '@precis/ai-sdk'
import { memoryStorage } from '@precis/core'
import { fakeSummarizer, type StrictProvider, strictProvider } from '@precis/testkit'
import { generateText, type LanguageModel, type ModelMessage, wrapLanguageModel } from 'ai'
import { afterEach, describe, expect, it } from 'vitest'

// What hosts do to a conversation between two turns. Whatever it is, what was summarized is summarized once.

let provider: StrictProvider | undefined
afterEach(async () => {
  await provider?.close()
  provider = undefined
})

const turns = 30
const words = (seed: number): string => Array.from({ length: 160 }, (_, at) => `word${(at * seed) % 89}`).join(' ')
const asked = (turn: number): ModelMessage => ({ role: 'user', content: `Question ${turn}: ${words(turn + 3)}` })
const answered = (turn: number): ModelMessage => ({
  role: 'assistant',
  content: [
    { type: 'reasoning', text: `Thought ${turn}.` },
    { type: 'text', text: `Answer ${turn}. ${words(turn + 7)}` },
  ],
})

type Habit = (messages: readonly ModelMessage[], turn: number) => { readonly messages: ModelMessage[]; readonly system?: string }
const withoutReasoning = (message: ModelMessage): ModelMessage =>
  message.role === 'assistant' && Array.isArray(message.content)
    ? { ...message, content: message.content.filter((part) => part.type !== 'reasoning') }
    : message
const marked = (message: ModelMessage): ModelMessage => ({ ...message, providerOptions: { anthropic: { cacheControl: { type: 'ephemeral' } } } })

const pictures = 'pictures signed anew under new URLs'
/** A question with a picture, whose address is signed anew for each turn. */
const pictured = (text: string, at: number, turn: number): ModelMessage => ({
  role: 'user',
  content: [
    { type: 'text', text },
    { type: 'image', image: new URL(`https://bucket.s3.amazonaws.com/${at}.png?X-Amz-Date=${turn}&X-Amz-Signature=${turn}abc`) },
  ],
})

const habits: Readonly<Record<string, Habit>> = {
  'nothing at all': (messages) => ({ messages: [...messages] }),
  'a clock in the system prompt': (messages, turn) => ({ messages: [...messages], system: `You are helpful. It is 12:${turn}.` }),
  'objects made anew': (messages) => ({ messages: structuredClone([...messages]) }),
  'reasoning dropped from earlier turns': (messages) => ({
    messages: messages.map((message, at) => (at < messages.length - 2 ? withoutReasoning(message) : message)),
  }),
  'the cache mark moved to the newest message': (messages) => ({
    messages: messages.map((message, at) => (at === messages.length - 1 ? marked(message) : message)),
  }),
  'a reminder appended and removed': (messages, turn) => ({ messages: [...messages, { role: 'user', content: `Reminder ${turn}: be brief.` }] }),
  [pictures]: (messages, turn) => ({
    messages: messages.map((message, at) => (at % 8 === 0 && message.role === 'user' ? pictured(message.content as string, at, turn) : message)),
  }),
  'a system prompt that comes and goes': (messages, turn) => ({ messages: [...messages], ...(turn % 2 === 0 && { system: 'You are helpful.' }) }),
}

/** The same pictures under the same URLs: what they cost is no habit. */
const stillPictures: Habit = (messages) => (habits[pictures] as Habit)(messages, 0)

/** Summaries that a chat of many turns pays for. */
async function summaries(habit: Habit, everyTurn: 'the same process' | 'a new process'): Promise<number> {
  provider = await strictProvider({ window: 100_000, model: () => ({ text: 'ok', calls: [] }) })
  const settings = { baseURL: provider.url, apiKey: 'none', name: 'strict' }
  // The one hands addresses of pictures on, the other reasoning.
  const inner = (
    habit === habits[pictures] || habit === stillPictures ? createOpenAI(settings).chat('strict') : createOpenAICompatible(settings)('strict')
  ) as Exclude<LanguageModel, string>
  const storage = memoryStorage()
  const summarizer = fakeSummarizer()
  const wrapped = () => {
    const compaction = createCompaction({ limits: { contextWindow: 6_000, maxOutput: 500 }, storage, summarizer })
    return wrapLanguageModel({ model: inner, middleware: compaction.middleware() })
  }
  let model = wrapped()
  const messages: ModelMessage[] = []
  for (let turn = 0; turn < turns; turn++) {
    messages.push(asked(turn))
    if (everyTurn === 'a new process') model = wrapped()
    await generateText({ model, ...habit(messages, turn), maxRetries: 0, allowSystemInMessages: true } as Parameters<typeof generateText>[0])
    messages.push(answered(turn))
  }
  await provider.close()
  return summarizer.requests.length
}

describe.each(['the same process', 'a new process'] as const)('in %s for every turn', (everyTurn) => {
  it.each(Object.keys(habits).slice(1))('%s: at most one summary more than without', async (name) => {
    const plain = await summaries(name === pictures ? stillPictures : (habits['nothing at all'] as Habit), 'the same process')
    expect(plain).toBeGreaterThan(1)
    expect(await summaries(habits[name] as Habit, everyTurn)).toBeLessThanOrEqual(plain + 1)
  })
})

describe('a route that reads the newest forty messages from its database', () => {
  const chat = async (cut: (messages: readonly ModelMessage[]) => ModelMessage[], session?: string, byCode = false) => {
    const summarizer = fakeSummarizer()
    provider = await strictProvider({ window: 100_000, model: () => ({ text: 'ok', calls: [] }) })
    const settings = { limits: { contextWindow: 9_000, maxOutput: 500 }, storage: memoryStorage(), summarizer: byCode ? undefined : summarizer }
    const warnings: string[] = []
    const inner = createOpenAI({ baseURL: provider.url, apiKey: 'none' }).chat('strict')
    const messages: ModelMessage[] = []
    for (let turn = 0; turn < 50; turn++) {
      messages.push(asked(turn))
      const model = withCompaction(inner, { ...settings, onReport: (report) => void warnings.push(...report.warnings) })
      await generateText({ model, messages: cut(messages), maxRetries: 0, ...(session && { providerOptions: { precis: { session } } }) })
      messages.push({ role: 'assistant', content: `Answer ${turn}. ${words(turn + 7)}` })
    }
    await provider.close()
    return { paid: summarizer.requests.length, warnings: warnings.join() }
  }
  const newest = (messages: readonly ModelMessage[]): ModelMessage[] => messages.slice(-39)

  it('pays for no more summaries than one that hands over all of them, with a name', async () => {
    const whole = await chat((messages) => [...messages], 'chat')
    const cut = await chat(newest, 'chat')
    expect(whole.paid).toBeGreaterThan(2)
    expect(cut.paid).toBeLessThanOrEqual(whole.paid + 1)
    expect(cut.warnings).not.toContain('without a name')
  })
  it('is told what to do where it gives no name', async () => {
    const { paid, warnings } = await chat(newest)
    expect(warnings).toContain('name the conversation (session)')
    expect(paid).toBeLessThan(8)
  })
  it('is told so by default, without a summarizer, and nobody else is', async () => {
    expect((await chat(newest, undefined, true)).warnings).toContain('name the conversation (session)')
    const all = (messages: readonly ModelMessage[]): ModelMessage[] => [...messages]
    for (const told of [await chat(newest, 'chat', true), await chat(all, undefined, true)]) expect(told.warnings).not.toContain('name the conversation')
  })
})
