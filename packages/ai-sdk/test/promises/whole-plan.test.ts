import { createOpenAI } from '@ai-sdk/openai'
import { withCompaction } from '@precis/ai-sdk'
import { type PromptEntry, type StrictProvider, strictProvider } from '@precis/testkit'
import { generateText, isStepCount, tool } from 'ai'
import { afterEach, expect, it } from 'vitest'
import { z } from 'zod'

// An agent that writes its list of tasks anew after each one, from what it sees: what is left out of the list once is never done.

let provider: StrictProvider | undefined
afterEach(async () => {
  await provider?.close()
  provider = undefined
})

const planned = Array.from({ length: 18 }, (_, at) => `Repaint the ${['north', 'south', 'west'][at % 3]} gate of hall ${at * 3 + 2}`)
interface Task {
  readonly content: string
  readonly status: string
}

/** The list, as far as a prompt says: the newest in sight, or what it says is to do. */
function listIn(prompt: readonly PromptEntry[]): readonly Task[] {
  const lines = prompt.flatMap(({ text }) => text.split('\n'))
  const list = lines.findLast((line) => line.startsWith('TodoWrite {'))
  if (list !== undefined) return (JSON.parse(list.slice(10)) as { readonly todos: readonly Task[] }).todos
  return lines.flatMap((line) => /^- \[ \] (.+)/.exec(line)?.[1] ?? []).map((content) => ({ content, status: 'pending' }))
}

it('an agent’s list of tasks is shown whole, as long as it is', async () => {
  const done: string[] = []
  let calls = 0
  provider = await strictProvider({
    window: 8_000,
    model: (prompt) => {
      const act = (name: string, input: object) => ({ text: '', calls: [{ id: `call_${calls++}`, tool: name, input: JSON.stringify(input) }] })
      const written = (tasks: readonly Task[]) => act('TodoWrite', { todos: tasks.map((task) => ({ ...task, activeForm: `Working on: ${task.content}` })) })
      if (calls === 0) return written(planned.map((content) => ({ content, status: 'pending' })))
      const list = listIn(prompt)
      const current = list.find(({ status }) => status === 'pending')
      if (current === undefined) return { text: 'All done.', calls: [] }
      const newest = prompt.findLast(({ callIds }) => callIds.length > 0)?.text ?? ''
      if (!newest.includes('do_task')) return act('do_task', { what: current.content })
      return written(list.map((task) => (task === current ? { ...task, status: 'completed' } : task)))
    },
  })
  const tools = {
    TodoWrite: tool({ description: 'Writes the list.', inputSchema: z.object({ todos: z.array(z.any()) }), execute: () => 'The list was updated.' }),
    do_task: tool({
      description: 'Does a task.',
      inputSchema: z.object({ what: z.string() }),
      execute: ({ what }) => {
        done.push(what)
        return Array.from({ length: 34 }, (_, at) => `gate note ${at}: the parcel ${at * 7} was seen at depot ${at % 5}, and nobody signed.`).join('\n')
      },
    }),
  }
  const { text } = await generateText({
    model: withCompaction(createOpenAI({ baseURL: provider.url, apiKey: 'none' }).chat('strict'), { limits: { contextWindow: 8_000, maxOutput: 256 } }),
    tools,
    prompt: 'Plan the work on the halls. Keep a list, and do each task once.',
    maxOutputTokens: 256,
    maxRetries: 0,
    stopWhen: isStepCount(80),
  })
  expect([text, done]).toEqual(['All done.', planned])
})
