import type { TokenEstimator } from '../budget/estimate.ts'
import type { Tokens } from '../history/message.ts'
import { namesHeading } from './carried.ts'
import type { RecordEntry } from './facts.ts'
import type { NameIndex, Passage } from './name-index.ts'
import { nameWorth, scanTerms } from './names.ts'

/** How much a name has to look like one: words with marks between them say nothing alone. */
const leastLike = 0.5
/** Nor do three characters, lines of failures, places in files, patterns and times. */
const unspoken = /^.{3}$| |%|:\d+$|^\d{4}-\d\d-\d\d/
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
      lastMessage[id] = (places[at] as { readonly index: number }).index
      if (passages.some((one) => one.start <= (start[place] as number) && one.end >= (end[place] as number))) seen.add(names[id]?.token as string)
    }
  const left = names
    .map(({ token, worth }, id) => ({ id, token, density: worth / (token.length + beside) }))
    .filter(({ token, density }) => density > 0 && !unspoken.test(token) && !seen.has(token) && nameWorth(token) >= leastLike)
    .sort((a, b) => b.density - a.density)
  const taken: number[] = []
  const sources = new Set<number>()
  let free = room - estimator.count(`${namesHeading}\n- `)
  for (const { id, token } of left) {
    if (seen.has(token)) continue
    const index = lastMessage[id] as number
    free -= estimator.count(token) + (sources.has(index) ? 1 : estimator.count(`; [${index}] `))
    if (free < 0) break
    taken.push(id)
    sources.add(index)
    // Its parts stand in it.
    scanTerms(token, (part) => seen.add(part))
  }
  taken.sort((a, b) => (lastPlace[a] as number) - (lastPlace[b] as number))
  const text = taken.map((id, at) => {
    const index = lastMessage[id]
    return `${index === lastMessage[taken[at - 1] as number] ? ', ' : `; [${index}] `}${names[id]?.token}`
  })
  return taken.length > 0 ? [{ kind: 'name', text: `-${text.join('').slice(1)}`, sources: [...sources] }] : []
}
