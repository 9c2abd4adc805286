import { AIMessage, type BaseMessage, HumanMessage } from '@langchain/core/messages'
import { MemorySaver } from '@langchain/langgraph'
import { compaction } from '@precis/langchain'
import { fakeSummarizer, type StrictProvider, strictProvider } from '@precis/testkit'
import { createAgent } from 'langchain'
import { afterEach, describe, expect, it } from 'vitest'
import { modelAt } from '../vaults.ts'

// A route makes its agent for each request, and is handed all messages: no checkpointer, no storage.

let provider: StrictProvider | undefined
afterEach(async () => {
  await provider?.close()
  provider = undefined
})

const talk = (who: string, turn: number): string => `${who} asks for the ${turn}th time. ${`What does ${who} need in week ${turn}? `.repeat(60)}`

/** Turns of conversations that take turns, each request with a middleware of its own or all with one. */
async function run(whos: readonly string[], thread: string | undefined, anew: boolean, first: readonly BaseMessage[] = []) {
  provider = await strictProvider({ window: 8_000, maxOutput: 300, model: () => ({ text: 'Noted.', calls: [] }) })
  const summarizer = fakeSummarizer()
  const make = () => compaction({ summarizer })
  const one = make()
  const histories = new Map<string, BaseMessage[]>(whos.map((who) => [who, [...first]]))
  for (let turn = 0; turn < 24; turn++)
    for (const [who, before] of histories) {
      const agent = createAgent({ model: modelAt('openai', provider.url), tools: [], middleware: [anew ? make() : one] })
      const config = thread === undefined ? {} : { configurable: { thread_id: thread } }
      const { messages } = await agent.invoke({ messages: [...before, new HumanMessage(talk(who, turn))] }, config)
      histories.set(who, messages)
    }
  const refused = provider.requests.filter(({ status }) => status !== 200).length
  await provider.close()
  return { prompts: summarizer.requests.map(({ prompt }) => prompt), refused }
}

describe('compaction() that is made for each request', () => {
  it.each([
    ['of a conversation that nobody named', undefined],
    ['of a thread that no checkpointer keeps', 'thread-1'],
  ])('%s pays and learns as one that is kept', async (what, thread) => {
    const kept = await run([`Kept ${what}`], thread, false)
    const anew = await run([`Anew ${what}`], thread, true)
    expect(kept.prompts.length).toBeGreaterThan(2)
    expect(anew.prompts.length).toBeLessThanOrEqual(kept.prompts.length)
    expect(anew.refused).toBe(kept.refused)
  })
  it('agents that share a thread and say different things have each its own', async () => {
    const alone = await run(['Solo'], 'thread-2', true)
    const { prompts } = await run(['Anna', 'Bert'], 'thread-2', true)
    expect(prompts.map((prompt) => ['Anna', 'Bert'].filter((who) => prompt.includes(who)).length)).toEqual(prompts.map(() => 1))
    expect(prompts.length).toBeLessThanOrEqual(2 * alone.prompts.length)
  })
  it('conversations that nobody named and that begin alike have each its own', async () => {
    const examples = (who: string) =>
      [1, 2, 3, 4].flatMap((at) => [new HumanMessage(`Example ${at} of ${who}?`), new AIMessage(`Answer ${at}: as the house says.`)])
    const alone = await run(['Solo'], undefined, true, examples('one'))
    const { prompts } = await run(['Carl', 'Dora', 'Emil'], undefined, true, examples('three'))
    expect(prompts.map((prompt) => ['Carl', 'Dora', 'Emil'].filter((who) => prompt.includes(who)).length)).toEqual(prompts.map(() => 1))
    expect(prompts.length).toBeLessThanOrEqual(3 * alone.prompts.length)
  })
  const scheduled = async (checkpointer: MemorySaver | undefined, rewind: boolean) => {
    provider = await strictProvider({ window: 16_000, maxOutput: 300, model: () => ({ text: 'Noted.', calls: [] }) })
    const { url } = provider
    const configurable = { thread_id: 'thread-3' }
    const agentWith = (own: ReturnType<typeof compaction>) =>
      createAgent({ model: modelAt('openai', url), tools: [], middleware: [own], ...(checkpointer && { checkpointer }) })
    let history: BaseMessage[] = []
    const turn = async (own: ReturnType<typeof compaction>, number: number, more: object = {}): Promise<number> => {
      const said = new HumanMessage(talk(`Rita ${rewind}`, number))
      const { messages } = await agentWith(own).invoke({ messages: checkpointer ? [said] : [...history, said] }, { configurable: { ...configurable, ...more } })
      history = messages
      return provider?.requests.at(-1)?.prompt.length ?? 0
    }
    for (let number = 0; number < 6; number++) await turn(compaction(), number)
    const before = await checkpointer?.getTuple({ configurable })
    const own = compaction()
    await own.session('thread-3').schedule()
    expect(await turn(own, 6)).toBeLessThan(13)
    if (!rewind) return turn(compaction(), 7, { checkpoint_id: before?.config.configurable?.['checkpoint_id'] })
    await own.session('thread-3').rewind()
    await turn(own, 7)
    return turn(compaction(), 8)
  }
  it('what was taken back stays so', async () => {
    expect(await scheduled(undefined, true)).toBe(17)
  })
  it('a graph that is rewound to before a compaction is shown whole', async () => {
    expect(await scheduled(new MemorySaver(), false)).toBe(13)
  })
})
