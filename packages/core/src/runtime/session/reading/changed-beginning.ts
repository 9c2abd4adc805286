import { identifies } from '../../../history/digests.ts'
import { fingerprint } from '../../../history/fingerprint.ts'
import type { Message } from '../../../history/message.ts'
import { isCutEachTime } from './cut-each-time.ts'

const cutEachTime =
  'this host hands over the newest messages only, or others before them each time, so each call is another conversation, whose summary nobody can go on with: hand over all messages, or name the conversation (session) and put no note in the place of what is left out. Until then no model is asked for one, and what was left out is lost'

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
 * @returns a warning where one that went on was cut at its beginning or began in other words each time, for the third time. One that only goes the same way for a while, such as the next run of a workflow, is another.
 */
export function changedBeginning(session: string, messages: readonly Message[]): readonly string[] {
  const isCut = isCutEachTime(session, messages)
  const changed = changedMessage(messages)
  if (changed === undefined) return isCut ? [cutEachTime] : []
  return [
    `message ${changed} of the history is another one each time, so no summary can be gone on with: put what changes (a clock, a memory) at the end or into the system prompt`,
  ]
}

/** @returns the place of the message that is another one for the third time. */
function changedMessage(messages: readonly Message[]): number | undefined {
  const places: number[] = []
  for (let at = 0; at < messages.length && places.length < 2 * compared; at++) if (identifies(messages[at] as Message)) places.push(at)
  if (places.length < 2 * compared) return undefined
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
  return changes < 2 ? undefined : places[changed]
}
