import type { Message } from '../../history/message.ts'
import { parseInput, pick } from '../texts/call-input.ts'

/** A task that the agent keeps on a list, and the message that names it. */
export interface OpenTask {
  readonly text: string
  readonly index: number
}

const taskFields = ['subject', 'content', 'step', 'title', 'task', 'text', 'description'] as const

/**
 * Tasks that are not finished, as far as the whole history knows, of tools that are called so: of lists that are written anew each time (`{ content, status }`, `{ text, done }` or the like,
 * in a field of any name, or a text with `[ ] ` and `[x] `),
 * and of tasks that are created and updated one by one (`TaskCreate { subject }`, `TaskUpdate { taskId, status }`, numbered from 1).
 */
export function openTasks(messages: readonly Message[]): readonly OpenTask[] {
  let open = new Map<string, number>()
  const numbered: OpenTask[] = []
  for (const [index, { parts }] of messages.entries()) {
    for (const part of parts) {
      if (part.type !== 'tool-call' || !lists.test(part.tool) || !says.test(part.input)) continue
      const input = parseInput(part.input)
      const listed = Object.values(input ?? {}).flatMap((field): readonly Task[] => {
        if (Array.isArray(field)) return field.filter((task) => /^[bs]/.test(typeof stateOf(task)))
        return Array.from(typeof field === 'string' ? field.matchAll(checked) : [], ([, mark, text]) => ({ text, done: /x/i.test(mark as string) }))
      })
      const text = pick(input, taskFields)
      const updated = numbered[Number(input?.['taskId']) - 1]
      if (listed.length > 0) open = new Map(listed.flatMap((task) => (isDone(task) ? [] : [[pick(task, taskFields), index] as const])))
      else if (creates.test(part.tool) && text !== '') {
        open.set(text, index)
        numbered.push({ text, index })
      } else if (updated)
        if (isDone(input)) open.delete(updated.text)
        else open.set(updated.text, updated.index)
    }
  }
  open.delete('')
  return Array.from(open, ([text, index]) => ({ text, index }))
}

const lists = /check.?list|plan|task|todo/i
const creates = /create/i
/** A task in a list that is one text. */
const checked = /^[-*\d. \t]*\[(.)\] +(.+)/gm

/** Fields of a task: one that says how it stands, or one of a task that is created; a mark of a text. */
const says = /"(?:status|done|completed|subject)"|\[.\] /
const stateOf = (task?: Task): unknown => task?.['status'] ?? task?.['done'] ?? task?.['completed']

type Task = Readonly<Record<string, unknown>>

function isDone(task?: Task): boolean {
  return /^(?:done|compl|cancel|clos|delet|finish|skip|true)/i.test(`${stateOf(task)}`)
}
