import type { TokenEstimator } from '../../budget/estimate.ts'
import type { Tokens } from '../../history/message.ts'
import type { Pieces } from '../../history/pieces.ts'
import type { RecordEntry } from '../facts/facts.ts'
import { type Name, type NameIndex, namesAtOnce, type Passage } from '../names/name-index.ts'
import { nameWorth, scanTerms } from '../names/names.ts'
import { namesHeading } from '../texts/carried.ts'
import { createMaxHeap } from './max-heap.ts'
import type { PlacedSource } from './sources.ts'

/** How much a name has to look like one: words with marks between them say nothing alone. */
const leastLike = 0.5
/** Nor do three characters, lines of failures, places in files, patterns and times. */
const unspoken = /^.{3}$| |%|:\d+$|^\d{4}-\d\d-/
/** Characters that each is taken to need beside its own. */
const beside = 12

type Placed = Pick<PlacedSource, 'index' | 'kind'>

/**
 * Names for which no passage had room, behind the message where each stands last: there they can be looked up. Those with the most worth for their length,
 * as many as `room` holds.
 *
 * @param chosen Passages that are shown, by source. @param places Message of each source. @param present Names that the reader sees elsewhere.
 * @returns One entry; none where nothing is left, or no room.
 */
export function* alsoNamed(
  { names, name, first, start, end }: NameIndex,
  chosen: readonly (readonly Passage[])[],
  places: readonly Placed[],
  room: Tokens,
  { present, estimator }: { readonly present: ReadonlySet<string>; readonly estimator: TokenEstimator },
): Pieces<readonly RecordEntry[]> {
  // One beyond its last place, and the message of that; 0 where nobody but a user said it: what people say is quoted, not listed.
  const last = new Uint32Array(names.length)
  const messageOf = new Uint32Array(names.length)
  const seen = new Set(present)
  const nameOf = (id: number): Name => names[id] as Name
  for (const [at, passages] of chosen.entries()) {
    const { kind, index } = places[at] as Placed
    if (kind === 'user') continue
    let near = 0
    for (let place = first[at] as number; place < (first[at + 1] as number); place++) {
      const id = name[place] as number
      last[id] = place + 1
      messageOf[id] = index
      while ((passages[near + 1]?.start ?? Infinity) <= (start[place] as number)) near++
      const passage = passages[near]
      if (passage && passage.start <= (start[place] as number) && (end[place] as number) <= passage.end) seen.add(nameOf(id).token)
    }
    if (at % 16 === 0) yield
  }
  const left = createMaxHeap()
  for (const [id, { token, worth }] of names.entries()) {
    if (id % namesAtOnce === 0) yield
    if (last[id] && worth > 0) left.push(worth / (token.length + beside), id)
  }
  const taken: number[] = []
  const sources = new Set<number>()
  let free = room - estimator.count(`${namesHeading}\n- `)
  while (left.size() > 0) {
    const id = left.pop()
    const { token } = nameOf(id)
    if (seen.has(token) || unspoken.test(token) || nameWorth(token) < leastLike) continue
    const index = messageOf[id] as number
    free -= estimator.count(token) + (sources.has(index) ? 1 : estimator.count(`; [${index}] `))
    if (free < 0) break
    taken.push(id)
    sources.add(index)
    // Its parts stand in it.
    scanTerms(token, (part) => seen.add(part))
  }
  taken.sort((a, b) => (last[a] as number) - (last[b] as number))
  const text = taken.map((id, at) => {
    const index = messageOf[id]
    return (at > 0 && index === messageOf[taken[at - 1] as number] ? ', ' : `; [${index}] `) + nameOf(id).token
  })
  return taken.length > 0 ? [{ kind: 'name', text: `-${text.join('').slice(1)}`, sources: [...sources] }] : []
}
