import type { Message } from '../history/message.ts'
import type { Found } from './found.ts'
import { segmentsOf } from './segments.ts'

/** Where in the history a user says what a line of a record quotes of them, by the number in front of it; undefined where that message does not say it, word for word. */
export function quotedFromUser(
  history: readonly Message[],
  record: string,
  { start, end }: Pick<Found, 'start' | 'end'>,
): Pick<Found, 'number' | 'segment' | 'start' | 'end'> | undefined {
  const number = Number(/^\n\[(\d+)\] user/.exec(record.slice(record.lastIndexOf('\n[', start), end))?.[1] ?? -1)
  const said = record
    .slice(start, end)
    .replace(/^\[\d+\] user: /, '')
    .replace(/^…|…$/g, '')
  const message = history[number]
  const segments = message?.role === 'user' ? segmentsOf(message) : []
  const segment = segments.findIndex(({ text }) => text.includes(said))
  const from = segments[segment]?.text.indexOf(said) ?? -1
  return from < 0 ? undefined : { number, segment, start: from, end: from + said.length }
}
