import { indicesOfSaid } from '../../../history/digests.ts'
import { fingerprintsOfRows } from '../../../history/fingerprint.ts'
import type { Message } from '../../../history/message.ts'
import { isUnnamed } from '../../../state/keys.ts'

/** Messages in a row by which a history is known again, those at the end that come and go, and those that a host may keep before the newest ones: its own first, or a note. */
const [row, newest, leading] = [4, 4, 1]
/** Histories that a process remembers, and hexadecimal digits of each of their marks. */
const [most, digits] = [50, 8]

/** A history that was summarized from its beginning on: what it said, where that was known again by, and how often in a row its beginning was another. */
interface Seen {
  readonly name: string
  /** In one text: a string for each message would take ten times as much. */
  readonly marks: string
  readonly place: number
  readonly cuts: number
}

/** By what stood near its end, and the session. */
const seen = new Map<string, Seen>()

/**
 * Told of each history that is summarized from its beginning on, by a model or by code.
 *
 * @returns whether it goes on with one that began earlier or with what this one recalls, for the third time: each call of a host that hands over the newest messages only,
 * of a conversation without a name or behind a note of what it left out, or that puts old messages in front, makes a summary that nobody goes on with.
 */
export function isCutEachTime(session: string, messages: readonly Message[]): boolean {
  const name = isUnnamed(session) ? '' : session
  const marks = fingerprintsOfRows(messages, indicesOfSaid(messages), row).map((mark) => mark.slice(0, digits))
  const place = marks.length - 1 - newest
  if (place < 0) return false
  const cuts = cutsOf(marks, name)
  const end = marks[place] + name
  seen.delete(end)
  seen.set(end, { name, marks: marks.join(), place, cuts })
  if (seen.size > most) seen.delete(seen.keys().next().value as string)
  return cuts > 1
}

function cutsOf(marks: readonly string[], name: string): number {
  const at = marks.findLastIndex((mark) => seen.has(mark + name))
  const before = seen.get(marks[at] + name)
  if (before === undefined) return 0
  const theirs = before.marks.split(',')
  // The same again, or one that goes on.
  if (marks[0] === theirs[0]) return before.cuts
  // It begins with what was said elsewhere, goes on, and most of the one before is still there: a summary has not served long.
  const own = [...seen.values()].filter((one) => one.name === name)
  const isKnown = marks.slice(0, leading + 1).some((mark) => own.some((one) => one.marks.includes(mark)))
  const goesOn = at < marks.length - 1 - newest && marks.includes(theirs[before.place >> 1] as string)
  return isKnown && goesOn ? before.cuts + 1 : 0
}
