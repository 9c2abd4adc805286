import { identifies } from '../../history/digests.ts'
import { fingerprint } from '../../history/fingerprint.ts'
import type { Message } from '../../history/message.ts'

/** Messages of a beginning that are compared, and as many behind them by which it is known again. */
const compared = 4
/** Beginnings that a process remembers. */
const most = 200

/** What the conversations began with that were summarized from their beginning on, as digests, by what they went on with; and how often in a row it was another. */
const beginnings = new Map<string, { readonly said: readonly string[]; readonly changes: number }>()

/** Told of each history that is summarized from its beginning on. @returns a warning where one began in other words each time, for the third time. */
export function changedBeginning(messages: readonly Message[]): readonly string[] {
  const places: number[] = []
  for (let at = 0; at < messages.length && places.length < 2 * compared; at++) if (identifies(messages[at] as Message)) places.push(at)
  if (places.length < 2 * compared) return []
  const digests = places.map((at) => fingerprint([messages[at] as Message]))
  const [said, next] = [digests.slice(0, compared), digests.slice(compared).join()]
  const before = beginnings.get(next)
  const changed = before === undefined ? -1 : said.findIndex((digest, at) => digest !== before.said[at])
  const changes = changed < 0 ? 0 : (before?.changes ?? 0) + 1
  beginnings.delete(next)
  beginnings.set(next, { said, changes })
  if (beginnings.size > most) beginnings.delete(beginnings.keys().next().value as string)
  return changes < 2
    ? []
    : [
        `message ${places[changed]} of the history is another one each time, so no summary can be gone on with: put what changes (a clock, a memory) at the end or into the system prompt`,
      ]
}
