import { AIMessage, type BaseMessage, HumanMessage } from '@langchain/core/messages'
import type { Summarizer } from '@precis/core'
import { compaction, withCompaction } from '@precis/langchain'
import { fakeSummarizer, type StrictProvider, strictProvider } from '@precis/testkit'
import { createAgent, tool } from 'langchain'
import { afterEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { modelAt } from '../vaults.ts'

// Runs that nobody named, as samples of one task are: what they say first is the same, what they find is each one's own.

let provider: StrictProvider | undefined
afterEach(async () => {
  await provider?.close()
  provider = undefined
})

const limits = { contextWindow: 8_000, maxOutput: 500 }
const steps = 16
const begun: readonly BaseMessage[] = [1, 2, 3, 4].flatMap((at) => [
  new HumanMessage(`Question ${at} about the house rules?`),
  new AIMessage(`Answer ${at}: the rules of the house say so.`),
])
const names = ['amber', 'birch', 'cedar', 'delta', 'ember', 'fjord']
/** Runs alone: what it has summarized is known when it runs again. */
const first = 'grove'
/** The sample that a prompt is of. */
const nameIn = (text: string): string => [...names, first].find((name) => text.includes(`${name}-`)) ?? ''
const search = tool(
  ({ name, page }: { name: string; page: number }) => `${name}-page-${page} says that ${name} is the word. ${`Line of ${name}. `.repeat(220)}`,
  {
    name: 'search',
    description: 'Reads a page.',
    schema: z.object({ name: z.string(), page: z.number() }),
  },
)

/** Each sample reads one page after another, and says a word when it has read enough. */
async function open(): Promise<string> {
  const read = new Map<string, number>()
  provider = await strictProvider({
    window: limits.contextWindow,
    maxOutput: limits.maxOutput,
    model: (prompt) => {
      const name = nameIn(prompt.map(({ text }) => text).join('\n'))
      const page = (read.get(name) ?? 0) + 1
      read.set(name, page)
      if (page > steps) return { text: `The word of ${name}-samples is found.`, calls: [] }
      return { text: `I read ${name}-page-${page}.`, calls: [{ id: `${name}_${page}`, tool: 'search', input: JSON.stringify({ name, page }) }] }
    },
  })
  return provider.url
}

/** A summarizer that answers nobody before so many have asked: who waits for another waits for ever. */
function together(inner: Summarizer, size: number): Summarizer {
  let waiting: (() => void)[] = []
  return {
    ...inner,
    async summarize(...given) {
      await new Promise<void>((resolve) => {
        waiting.push(resolve)
        if (waiting.length < size) return
        for (const go of waiting) go()
        waiting = []
      })
      return inner.summarize(...given)
    },
  }
}

const doors = {
  'compaction()': (url: string, summarizer: Summarizer) =>
    createAgent({ model: modelAt('openai', url), tools: [search], middleware: [compaction({ limits, summarizer, recall: 'off' })] }),
  'withCompaction()': (url: string, summarizer: Summarizer) =>
    createAgent({ model: withCompaction(modelAt('openai', url), { limits, summarizer, recall: 'off' }), tools: [search] }),
}

describe.each(Object.keys(doors) as (keyof typeof doors)[])('six runs that begin alike, at once, through %s', (door) => {
  const run = async (wanted: readonly string[]) => {
    const summarizer = fakeSummarizer()
    const agent = doors[door](await open(), together(summarizer, wanted.length))
    const answers = await Promise.all(
      wanted.map(async (name) => {
        const { messages } = await agent.invoke({ messages: [...begun, new HumanMessage(`Find the word of ${name}-samples.`)] }, { recursionLimit: 100 })
        return { name, said: messages.at(-1)?.text }
      }),
    )
    return { answers, prompts: summarizer.requests.map(({ prompt }) => prompt) }
  }
  it('each has its own summaries, as many as alone, none of another, and waits for none', async () => {
    const alone = (await run([first])).prompts.length
    await provider?.close()
    const { answers, prompts } = await run(names)
    expect(alone).toBeGreaterThan(1)
    expect(answers.map(({ name, said }) => said === `The word of ${name}-samples is found.`)).toEqual(names.map(() => true))
    expect(prompts.map((prompt) => names.filter((name) => prompt.includes(`${name}-`)).length)).toEqual(prompts.map(() => 1))
    expect(prompts.length).toBe(alone * names.length)
    expect(provider?.requests.filter(({ status }) => status !== 200)).toEqual([])
  })
})
