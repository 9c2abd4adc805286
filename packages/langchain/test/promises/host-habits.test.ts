import { AIMessage, type BaseMessage, HumanMessage, SystemMessage, trimMessages } from '@langchain/core/messages'
import { ChatOpenAI } from '@langchain/openai'
import { memoryStorage } from '@precis/core'
import { compactionMiddleware, createCompactor } from '@precis/langchain'
import { fakeSummarizer, type StrictProvider, strictProvider } from '@precis/testkit'
import { createAgent } from 'langchain'
import { afterEach, describe, expect, it } from 'vitest'

// What hosts do to a conversation between two turns, without a thread id. Whatever it is, what was summarized is summarized once.

let provider: StrictProvider | undefined
afterEach(async () => {
  await provider?.close()
  provider = undefined
})

const turns = 24
const words = (seed: number): string => Array.from({ length: 160 }, (_, at) => `word${(at * seed) % 89}`).join(' ')
const dialogue = (turn: number): readonly BaseMessage[] =>
  Array.from({ length: turn + 1 }, (_, at) => [
    new HumanMessage({ content: `Question ${at}: ${words(at + 3)}`, id: `q${at}` }),
    ...(at < turn ? [new AIMessage({ content: `Answer ${at}. ${words(at + 7)}`, id: `a${at}` })] : []),
  ]).flat()

/** A question with a picture, whose address is signed anew for each turn. */
const pictured = (message: BaseMessage, turn: number): BaseMessage =>
  new HumanMessage({
    content: [
      { type: 'text', text: message.text },
      { type: 'image_url', image_url: { url: `https://bucket.s3.amazonaws.com/${message.id}.png?X-Amz-Date=${turn}&X-Amz-Signature=${turn}abc` } },
    ],
    id: message.id as string,
  })

type Habit = (messages: readonly BaseMessage[], turn: number) => BaseMessage[]
const habits: Readonly<Record<string, Habit>> = {
  'objects made anew': (messages) => [...messages],
  'a clock in the system message': (messages, turn) => [new SystemMessage(`It is 12:${turn}.`), ...messages],
  'ids renewed': (messages, turn) => messages.map((message) => Object.assign(message, { id: `${message.id}-${turn}` })),
  'a reminder appended and removed': (messages, turn) => [...messages, new HumanMessage(`Reminder ${turn}: be brief.`)],
  'reasoning dropped from earlier turns': (messages) =>
    messages.map((message, at) => {
      if (!AIMessage.isInstance(message) || at < messages.length - 2) return message
      return new AIMessage({
        content: [
          { type: 'reasoning', reasoning: `Thought ${at}.` },
          { type: 'text', text: message.text },
        ],
        id: message.id as string,
      })
    }),
  'the cache mark moved to the newest message': (messages) =>
    messages.map((message, at) => {
      if (at < messages.length - 1) return message
      return new HumanMessage({ content: [{ type: 'text', text: message.text, cache_control: { type: 'ephemeral' } }], id: message.id as string })
    }),
  'pictures signed anew under new URLs': (messages, turn) => messages.map((message, at) => (at % 8 === 0 ? pictured(message, turn) : message)),
}

const options = () => ({ limits: { contextWindow: 6_000, maxOutput: 500 }, storage: memoryStorage(), summarizer: fakeSummarizer() })
const open = async (): Promise<ChatOpenAI> => {
  provider = await strictProvider({ window: 100_000, model: () => ({ text: 'ok', calls: [] }) })
  return new ChatOpenAI({ model: 'strict', apiKey: 'none', configuration: { baseURL: provider.url }, maxRetries: 0 })
}
/** Summaries that a chat of many turns pays for. */
const doors: Readonly<Record<string, (habit: Habit, renewed: boolean) => Promise<number>>> = {
  async 'an agent with the middleware'(habit, renewed) {
    const [model, own] = [await open(), options()]
    const make = () => createAgent({ model, tools: [], middleware: [compactionMiddleware(own)] })
    let agent = make()
    for (let turn = 0; turn < turns; turn++) {
      if (renewed) agent = make()
      await agent.invoke({ messages: habit(dialogue(turn), turn) })
    }
    return own.summarizer.requests.length
  },
  async 'a chain with the Runnable'(habit, renewed) {
    const [model, own] = [await open(), options()]
    const make = () => createCompactor(own).pipe(model)
    let chain = make()
    for (let turn = 0; turn < turns; turn++) {
      if (renewed) chain = make()
      await chain.invoke(habit(dialogue(turn), turn))
    }
    return own.summarizer.requests.length
  },
}

describe.each(Object.keys(doors))('%s', (door) => {
  const summaries = doors[door] as (habit: Habit, renewed: boolean) => Promise<number>
  it.each(Object.keys(habits))('%s: at most one summary more than without, in one process or in a new one each turn', async (name) => {
    const plain = await summaries(habits['objects made anew'] as Habit, false)
    await provider?.close()
    expect(plain).toBeGreaterThan(1)
    for (const renewed of [false, true]) {
      expect(await summaries(habits[name] as Habit, renewed)).toBeLessThanOrEqual(plain + 1)
      await provider?.close()
    }
  })
})

it('a thread that is trimmed before the model sees it pays for no more summaries than one that is not', async () => {
  const model = await open()
  const paid = async (cut: (messages: BaseMessage[]) => Promise<BaseMessage[]>) => {
    const own = { ...options(), limits: { contextWindow: 9_000, maxOutput: 500 } }
    const chain = createCompactor(own).pipe(model)
    for (let turn = 0; turn < 45; turn++) await chain.invoke(await cut([...dialogue(turn)]), { configurable: { thread_id: 'one' } })
    return own.summarizer.requests.length
  }
  const whole = await paid(async (messages) => messages)
  const newest = { strategy: 'last', startOn: 'human', includeSystem: true, tokenCounter: (messages: BaseMessage[]) => messages.length, maxTokens: 39 } as const
  expect(whole).toBeGreaterThan(2)
  expect(await paid((messages) => trimMessages(messages, newest))).toBeLessThanOrEqual(whole + 1)
})
