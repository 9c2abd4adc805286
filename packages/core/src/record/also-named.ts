import type { TokenEstimator } from '../budget/estimate.ts'
import type { Tokens } from '../history/message.ts'
import type { RecordEntry } from './facts.ts'
import type { NameIndex, Passage } from './name-index.ts'
import { nameWorth, scanTerms } from './names.ts'

/** Above them in a record. */
export const namesHeading = '### Also named'

/** How much a name has to look like one, and its characters at least: words with marks between them say nothing alone. */
const leastLike = 0.5
const shortest = 4
/** Lines of failures, places in files, patterns and times: as names they say nothing. */
const unspoken = / |%|:\d+$|^\d{4}-\d\d-\d\d/
/** Characters that each is taken to need beside its own. */
const beside = 12

/**
 * Names for which no passage had room, behind the message where each stands last: there they can be looked up. Those with the most worth for their length,
 * as many as `room` holds.
 *
 * @param chosen Passages that are shown, by source. @param places Message of each source. @param present Names that the reader sees elsewhere.
 * @returns One entry; none where nothing is left, or no room.
 */
export function alsoNamed(
  { names, name, first, start, end }: NameIndex,
  chosen: readonly (readonly Passage[])[],
  places: readonly { readonly index: number }[],
  room: Tokens,
  { present, estimator }: { readonly present: ReadonlySet<string>; readonly estimator: TokenEstimator },
): readonly RecordEntry[] {
  const lastPlace: number[] = []
  const lastMessage: number[] = []
  const seen = new Set(present)
  for (const [at, passages] of chosen.entries())
    for (let place = first[at] as number; place < (first[at + 1] as number); place++) {
      const id = name[place] as number
      lastPlace[id] = place
      lastMessage[id] = places[at]?.index ?? 0
      if (passages.some((one) => one.start <= (start[place] as number) && one.end >= (end[place] as number))) seen.add(names[id]?.token ?? '')
    }
  const left = names
    .map(({ token, worth }, id) => ({ id, token, density: worth / (token.length + beside) }))
    .filter(({ token, density }) => density > 0 && token.length >= shortest && !unspoken.test(token) && !seen.has(token) && nameWorth(token) >= leastLike)
    .sort((a, b) => b.density - a.density || a.id - b.id)
  const addressOf = (id: number): string => `; [${lastMessage[id]}] `
  const taken: number[] = []
  const addresses = new Set<string>()
  let free = room - estimator.count(`${namesHeading}\n- `)
  for (const { id, token } of left) {
    if (seen.has(token)) continue
    const address = addressOf(id)
    free -= estimator.count(token) + (addresses.has(address) ? 1 : estimator.count(address))
    if (free < 0) break
    taken.push(id)
    addresses.add(address)
    // Its parts stand in it.
    scanTerms(token, (part) => seen.add(part))
  }
  taken.sort((a, b) => (lastPlace[a] as number) - (lastPlace[b] as number))
  const text = taken.map((id, at) => (lastMessage[id] === lastMessage[taken[at - 1] as number] ? ', ' : addressOf(id)) + names[id]?.token).join('')
  return text === '' ? [] : [{ kind: 'name', text: `-${text.slice(1)}`, sources: [...new Set(taken.map((id) => lastMessage[id] as number))] }]
}
