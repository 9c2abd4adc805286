import { identifies } from '../../history/digests.ts'
import { fingerprint } from '../../history/fingerprint.ts'
import type { Message } from '../../history/message.ts'

/** Messages of a beginning that are compared, and as many behind them by which it is known again. */
const compared = 4
/** Beginnings that a process remembers. */
const most = 200

/** A history that was summarized from its beginning on: how it began, how long it was and what stood near its end, as digests; and how often in a row its beginning was another. */
interface Began {
  readonly said: readonly string[]
  readonly length: number
  readonly end: string
  readonly changes: number
}

/** By what they went on with behind their beginning. */
const beginnings = new Map<string, Began>()

/** Messages at the end that come and go. */
const newest = 4
const digestOf = (message: Message | undefined): string => fingerprint(message === undefined ? [] : [message])

/**
 * Told of each history that is summarized from its beginning on.
 *
 * @returns a warning where one that went on began in other words each time, for the third time. One that only goes the same way for a while, such as the next run of a workflow, is another.
 */
export function changedBeginning(messages: readonly Message[]): readonly string[] {
  const places: number[] = []
  for (let at = 0; at < messages.length && places.length < 2 * compared; at++) if (identifies(messages[at] as Message)) places.push(at)
  if (places.length < 2 * compared) return []
  const digests = places.map((at) => digestOf(messages[at]))
  const [said, next] = [digests.slice(0, compared), digests.slice(compared).join()]
  const { length } = messages
  const before = beginnings.get(next)
  const isSame = before !== undefined && before.length < length && digestOf(messages[before.length - newest]) === before.end
  const changed = isSame ? said.findIndex((digest, at) => digest !== before.said[at]) : -1
  const changes = changed < 0 ? 0 : (before?.changes ?? 0) + 1
  beginnings.delete(next)
  beginnings.set(next, { said, length, end: digestOf(messages[length - newest]), changes })
  if (beginnings.size > most) beginnings.delete(beginnings.keys().next().value as string)
  return changes < 2
    ? []
    : [
        `message ${places[changed]} of the history is another one each time, so no summary can be gone on with: put what changes (a clock, a memory) at the end or into the system prompt`,
      ]
}
