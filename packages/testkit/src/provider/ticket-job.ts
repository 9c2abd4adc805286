import type { PromptEntry } from './prompt.ts'
import type { ModelReply } from './recall-model.ts'

/** Tools of the job; each takes `{ id }`. */
export const ticketTools = ['read_ticket', 'send_mail', 'close_ticket'] as const

/** A job of many steps, of which none is harmless when it is done twice. */
export interface TicketJob {
  /** What the user asks for. */
  readonly request: string
  /** What a tool returns; what it did is noted. */
  call(tool: string, id: string): string
  /** Calls that were made and do something, in order: `send_mail T-1000`. */
  readonly done: readonly string[]
  /** The same calls, as they should be. */
  readonly expected: readonly string[]
  /** What the model says at the end. */
  readonly final: string
  /** A model that goes by what it is shown: calls in sight, and lines that name one. For `strictProvider`. */
  readonly model: (prompt: readonly PromptEntry[]) => ModelReply
}

/**
 * A new job.
 *
 * @param tickets How many.
 */
export function ticketJob(tickets = 24): TicketJob {
  const ids = Array.from({ length: tickets }, (_, at) => `T-${1_000 + at * 37}`)
  const done: string[] = []
  const final = 'All tickets are closed.'
  let calls = 0
  return {
    request: `Read each ticket, send its customer one mail and close it: ${ids.join(', ')}.`,
    call(tool, id) {
      if (tool === 'read_ticket')
        return Array.from({ length: 60 }, (_, at) => `${id}, note ${at}: the parcel ${at * 7} was seen at depot ${at % 5}, and nobody signed.`).join('\n')
      done.push(`${tool} ${id}`)
      return 'Done.'
    },
    done,
    expected: ids.flatMap((id) => [`send_mail ${id}`, `close_ticket ${id}`]),
    final,
    model(prompt) {
      const lines = prompt.flatMap(({ text }) => text.split('\n'))
      const did = (tool: string, id: string): boolean => lines.some((line) => new RegExp(`^(?:- (?:\\[\\d+\\] )?)?${tool}\\b.*${id}\\b`).test(line))
      const open = ids.find((id) => !did('close_ticket', id))
      if (open === undefined) return { text: final, calls: [] }
      const wasRead = lines.some((line) => line.includes(`${open}, note 0`))
      const tool = did('send_mail', open) ? 'close_ticket' : wasRead ? 'send_mail' : 'read_ticket'
      return { text: '', calls: [{ id: `call_${calls++}`, tool, input: JSON.stringify({ id: open }) }] }
    },
  }
}
