import type { RecordedMessage } from '../sessions/transcripts.ts'

/** Tasks that the agent keeps on a list, and whether each was done (or given up) when it was last heard of. */
export function tasksOf(messages: readonly RecordedMessage[]): ReadonlyMap<string, boolean> {
  const done = (status: unknown): boolean => /^(?:done|complete|cancel|delete)/i.test(`${status}`)
  let listed = new Map<string, boolean>()
  const numbered = new Map<string, string>()
  let created = 0
  for (const message of messages) {
    for (const { name, arguments: given } of message.toolCalls ?? []) {
      const lists = Object.values(given).filter((value) => Array.isArray(value)) as readonly (readonly Readonly<Record<string, unknown>>[])[]
      const tasks = lists.flat().filter((task) => typeof task?.['status'] === 'string')
      // A list that is written anew replaces the one before.
      if (tasks.length > 0) listed = new Map(tasks.map((task) => [`${task['content'] ?? task['step'] ?? task['title'] ?? task['text']}`, done(task['status'])]))
      else if (/task.?create/i.test(name) && typeof given['subject'] === 'string') {
        numbered.set(`${++created}`, given['subject'])
        listed.set(given['subject'], false)
      } else if (/task.?update/i.test(name) && given['status'] !== undefined) {
        const subject = numbered.get(`${given['taskId']}`)
        if (subject !== undefined) listed.set(subject, done(given['status']))
      }
    }
  }
  return listed
}
