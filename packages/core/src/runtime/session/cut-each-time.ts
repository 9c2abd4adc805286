import { identifies } from '../../history/digests.ts'
import { fingerprintsOfRows } from '../../history/fingerprint.ts'
import type { Message } from '../../history/message.ts'
import { isUnnamed } from '../../state/keys.ts'

/** Messages in a row by which a history is known again, and those at the end that come and go. */
const [row, newest] = [4, 4]
/** Histories that a process remembers. */
const most = 200

/** By what stood near its end, and where: how a history began that was summarized from its beginning on, and how often in a row more of that was cut. */
const seen = new Map<string, { readonly began: string; readonly place: number; readonly cuts: number }>()

/**
 * Told of each history that a model is about to summarize from its beginning on.
 *
 * @returns whether it goes on with one that began earlier, for the third time: each call of a host that hands over the newest messages only, of a conversation without
 * a name, is another conversation, and would pay for a summary that nobody goes on with.
 */
export function isCutEachTime(session: string, messages: readonly Message[]): boolean {
  if (!isUnnamed(session)) return false
  const said = messages.flatMap((message, index) => (identifies(message) ? [index] : []))
  const rows = fingerprintsOfRows(messages, said, row)
  const place = rows.length - 1 - newest
  const [began, end] = [rows[0], rows[place]]
  if (began === undefined || end === undefined) return false
  const [known, now] = rows.map((one, at) => [seen.get(one), at] as const).findLast(([one]) => one !== undefined) ?? []
  const isCut = known !== undefined && now !== undefined && now < known.place && !rows.includes(known.began)
  const cuts = (known?.cuts ?? 0) + (isCut ? 1 : 0)
  seen.delete(end)
  seen.set(end, { began, place, cuts })
  if (seen.size > most) seen.delete(seen.keys().next().value as string)
  return cuts > 1
}
