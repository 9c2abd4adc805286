import { Agent, type AgentInputItem, MemorySession, OpenAIProvider, Runner } from '@openai/agents'
import { memoryStorage } from '@precis/core'
import { compactionFilter, withCompaction } from '@precis/openai-agents'
import { fakeSummarizer, type StrictProvider, strictProvider } from '@precis/testkit'
import { afterEach, describe, expect, it } from 'vitest'

// What hosts do to a conversation between two turns, without an id. Whatever it is, what was summarized is summarized once.

let provider: StrictProvider | undefined
afterEach(async () => {
  await provider?.close()
  provider = undefined
})

const turns = 24
const words = (seed: number): string => Array.from({ length: 160 }, (_, at) => `word${(at * seed) % 89}`).join(' ')
const dialogue = (turn: number): readonly AgentInputItem[] =>
  Array.from({ length: turn + 1 }, (_, at): readonly unknown[] => [
    { type: 'message', role: 'user', content: `Question ${at}: ${words(at + 3)}` },
    ...(at < turn
      ? [{ type: 'message', role: 'assistant', status: 'completed', id: `m${at}`, content: [{ type: 'output_text', text: `Answer ${at}. ${words(at + 7)}` }] }]
      : []),
  ]).flat() as AgentInputItem[]

/** A question with a picture, whose address is signed anew for each turn. */
const pictured = (item: AgentInputItem, at: number, turn: number): AgentInputItem =>
  ({
    ...item,
    content: [
      { type: 'input_text', text: String(Object(item).content) },
      { type: 'input_image', image: `https://bucket.s3.amazonaws.com/${at}.png?X-Amz-Date=${turn}&X-Amz-Signature=${turn}abc` },
    ],
  }) as AgentInputItem

interface Turn {
  readonly items: readonly AgentInputItem[]
  readonly instructions: string
}
type Habit = (items: readonly AgentInputItem[], turn: number) => Turn
const instructions = 'You are helpful.'
const memory = 'What we know of the user: likes tea, lives in a small town by the river, has two dogs, works at night.'
const habits: Readonly<Record<string, Habit>> = {
  'objects made anew': (items) => ({ items, instructions }),
  'a clock in the instructions': (items, turn) => ({ items, instructions: `It is 12:${turn}.` }),
  'a clock in a system item': (items, turn) => ({ items: [{ type: 'message', role: 'system', content: `It is 12:${turn}.` }, ...items], instructions }),
  'ids renewed': (items, turn) => ({ items: items.map((item) => ('id' in item ? { ...item, id: `${item.id}-${turn}` } : item)), instructions }),
  'reasoning dropped from earlier turns': (items) => ({
    items: items.flatMap((item, at): readonly AgentInputItem[] =>
      at < items.length - 3 || !('role' in item) || item.role !== 'assistant'
        ? [item]
        : [{ type: 'reasoning', id: `r${at}`, content: [{ type: 'input_text', text: `Thought ${at}.` }] } as AgentInputItem, item],
    ),
    instructions,
  }),
  'pictures signed anew under new URLs': (items, turn) => ({
    items: items.map((item, at) => (at % 8 === 0 && 'role' in item && item.role === 'user' ? pictured(item, at, turn) : item)),
    instructions,
  }),
  'a clock in the first message': (items, turn) => ({
    items: items.map((item, at) => (at === 0 ? ({ ...item, content: `It is 12:${turn}.\n${Object(item).content}` } as AgentInputItem) : item)),
    instructions,
  }),
  'a memory in front': (items, turn) => ({ items: [{ type: 'message', role: 'user', content: `${memory} Visit ${turn}.` }, ...items], instructions }),
  'a reminder appended and removed': (items, turn) => ({ items: [...items, { type: 'message', role: 'user', content: `Reminder ${turn}.` }], instructions }),
}

/** Summaries that a chat of many turns pays for. */
async function summaries(door: 'model' | 'filter', habit: Habit, renewed: boolean): Promise<number> {
  provider = await strictProvider({ window: 100_000, model: () => ({ text: 'ok', calls: [] }) })
  const inner = await new OpenAIProvider({ apiKey: 'none', baseURL: provider.url, useResponses: true }).getModel('strict')
  const summarizer = fakeSummarizer()
  const options = { limits: { contextWindow: 6_000, maxOutput: 500 }, storage: memoryStorage(), summarizer }
  const make = () =>
    door === 'model'
      ? { model: withCompaction(inner, options), runner: new Runner({ tracingDisabled: true }) }
      : { model: inner, runner: new Runner({ tracingDisabled: true, callModelInputFilter: compactionFilter(options) }) }
  let made = make()
  for (let turn = 0; turn < turns; turn++) {
    if (renewed) made = make()
    const { items, instructions } = habit(dialogue(turn), turn)
    await made.runner.run(new Agent({ name: 'reader', instructions, model: made.model }), [...items])
  }
  await provider.close()
  return summarizer.requests.length
}

describe.each(['model', 'filter'] as const)('through the %s', (door) => {
  it.each(Object.keys(habits))('%s: at most one summary more than without, in one process or in a new one each turn', async (name) => {
    const plain = await summaries(door, habits['objects made anew'] as Habit, false)
    expect(plain).toBeGreaterThan(1)
    for (const renewed of [false, true]) expect(await summaries(door, habits[name] as Habit, renewed)).toBeLessThanOrEqual(plain + 1)
  })
})

it('a session of which the newest items are handed over pays for no more summaries than one that is handed over whole', async () => {
  provider = await strictProvider({ window: 100_000, model: () => ({ text: `Answer. ${words(5)}`, calls: [] }) })
  const inner = new OpenAIProvider({ apiKey: 'none', baseURL: provider.url, useResponses: true })
  const paid = async (newest: number): Promise<number> => {
    const summarizer = fakeSummarizer()
    const wrapped = withCompaction(inner, { limits: { contextWindow: 9_000, maxOutput: 500 }, storage: memoryStorage(), summarizer })
    const session = new MemorySession()
    const name = await session.getSessionId()
    for (let turn = 0; turn < 45; turn++) {
      const runner = new Runner({ tracingDisabled: true, modelProvider: wrapped.for(name) })
      await runner.run(new Agent({ name: 'reader', instructions, model: 'strict' }), `Question ${turn}: ${words(turn + 3)}`, {
        session,
        sessionInputCallback: (history, added) => [...history.slice(-newest), ...added],
      })
    }
    expect(await session.getItems()).toHaveLength(90)
    return summarizer.requests.length
  }
  const whole = await paid(1_000)
  expect(whole).toBeGreaterThan(2)
  expect(await paid(39)).toBeLessThanOrEqual(whole + 1)
})
