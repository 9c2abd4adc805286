import type { Message } from '../history/message.ts'
import { parseInput, pick } from './call-input.ts'

/** A task that the agent keeps on a list, and the message that names it. */
export interface OpenTask {
  readonly text: string
  readonly index: number
}

const taskFields = ['content', 'step', 'title', 'task', 'text', 'description'] as const

/**
 * Tasks that are not finished, as far as the whole history knows: of lists that are written anew each time (`{ content, status }` or the like, in a field of any name),
 * and of tasks that are created and updated one by one (`TaskCreate { subject }`, `TaskUpdate { taskId, status }`, numbered from 1).
 */
export function openTasks(messages: readonly Message[]): readonly OpenTask[] {
  let tasks = new Map<string, { isDone: boolean; index: number }>()
  const numbered: { readonly subject: string; readonly index: number }[] = []
  for (const [index, { parts }] of messages.entries()) {
    for (const part of parts) {
      if (part.type !== 'tool-call' || !(part.input.includes('"status"') || creates.test(part.tool))) continue
      const input = parseInput(part.input)
      const listed = listIn(input)
      const subject = pick(input, ['subject'])
      const updated = numbered[Number(input?.['taskId']) - 1]
      if (listed.length > 0) tasks = new Map(listed.map((task) => [pick(task, taskFields), { isDone: isDone(task['status']), index }]))
      else if (creates.test(part.tool) && subject !== '') {
        numbered.push({ subject, index })
        tasks.set(subject, { isDone: false, index })
      } else if (updates.test(part.tool) && updated !== undefined) tasks.set(updated.subject, { isDone: isDone(input?.['status']), index: updated.index })
    }
  }
  return [...tasks].flatMap(([text, { isDone: done, index }]) => (done || text === '' ? [] : [{ text, index }]))
}

const creates = /task.?create/i
const updates = /task.?update/i

function listIn(input: Readonly<Record<string, unknown>> | undefined): readonly Readonly<Record<string, unknown>>[] {
  const items = Object.values(input ?? {}).flatMap((field) => (Array.isArray(field) ? field : [])) as readonly (Readonly<Record<string, unknown>> | null)[]
  return items.flatMap((task) => (typeof task?.['status'] === 'string' ? [task] : []))
}

function isDone(status: unknown): boolean {
  return /^(?:done|complete|cancel|delete)/i.test(`${status}`)
}
