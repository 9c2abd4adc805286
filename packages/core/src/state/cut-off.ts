import { indicesOfSaid } from '../history/digests.ts'
import { fingerprint, fingerprintsOfRows } from '../history/fingerprint.ts'
import type { Message } from '../history/message.ts'
import type { Checkpoint } from './checkpoint.ts'
import { lastPlaced, placedOn } from './placed.ts'

/** Messages in a row that are one mark, and hexadecimal digits of each. */
const [row, digits] = [4, 6]
/** Marks that a checkpoint keeps; fewer in a row, or fewer that differ, may be alike in two conversations. */
const [mostMarks, leastMarks, leastDiffering] = [500, 5, 4]

const marksOf = (messages: readonly Message[], said: readonly number[]): readonly string[] =>
  fingerprintsOfRows(messages, said, row).map((mark) => mark.slice(0, digits))

const markOfFirst = (messages: readonly Message[], [first = 0]: readonly number[]): string => fingerprint(messages, first + 1).slice(0, digits)

/** A mark of the first message, and those of the newest that a checkpoint covers, one after another. Short, and of four messages together: nobody can try out what one of those says. */
export function marksOfEnds(messages: readonly Message[], covered: number): string | undefined {
  const said = indicesOfSaid(messages.slice(0, covered))
  const marks = marksOf(messages, said.slice(1 - row - mostMarks))
  return marks.length === 0 ? undefined : [markOfFirst(messages, said), ...marks].join('')
}

/** Messages that a history has at least that is known again. */
export const leastCut: number = leastMarks + row - 1

/** What came of looking where checkpoints lie on a history. */
export interface LaidOnCut {
  /** `placedOn` knows where it lies from now on. */
  readonly isLaid: boolean
  /** Messages that were shown word for word are gone as well: no summary says what they said. */
  readonly isPoorer: boolean
  /** One lay on more of this conversation, of which too little is handed over to know it again. */
  readonly isMissed: boolean
  /** What they cover is there, but for a part that is another by now. */
  readonly contradicted: readonly Checkpoint[]
}

/**
 * Lays the checkpoints that it can on a history whose beginning the host has cut, as one does that hands over the newest forty messages, with the first one or
 * without: what is left of the covered messages is all there, in order, and the summary speaks for those that left as well.
 *
 * For checkpoints of one conversation: others may go the same way for a while.
 */
export function layOnCut(checkpoints: readonly Checkpoint[], messages: readonly Message[]): LaidOnCut {
  const said = indicesOfSaid(messages)
  const marks = marksOf(messages, said.slice(0, mostMarks + row + 1))
  const contradicted: Checkpoint[] = []
  let [isLaid, isPoorer, isMissed] = [false, false, false]
  for (const checkpoint of checkpoints) {
    const { ends = '', covered, unsaid = [] } = checkpoint
    const [first, ...rows] = ends.match(/.{6}/g) ?? []
    const { from, to } = stretchOf(rows, marks)
    const found = new Set(marks.slice(from, to))
    if (placedOn(checkpoint, messages)) continue
    if (to - from < leastMarks || found.size < leastDiffering) {
      isMissed = rows.length > 0 && (lastPlaced.get(checkpoint) ?? checkpoint).gone !== undefined
      continue
    }
    const end = to + row - 1
    const isCut = end < covered - unsaid.length
    const leading = from === 1 && markOfFirst(messages, said) === first ? 1 : 0
    // All that is known of it is there: nobody can tell what stood before.
    if (from > leading && (to - from < rows.length || rows.length < mostMarks)) contradicted.push(checkpoint)
    if (from !== leading || !isCut) continue
    const left = cut(checkpoint, messages, said.slice(0, end), leading)
    const placed = placedOn(left, messages)
    if (!placed) continue
    isPoorer ||= left.kept.length < checkpoint.kept.filter((index) => !unsaid.includes(index)).length
    const after = leading === 0 ? 0 : (said[0] as number) + 1
    lastPlaced.set(checkpoint, { ...placed, gone: { after, count: Math.max(0, (checkpoint.gone?.count ?? 0) + covered - placed.covered) } })
    isLaid = true
  }
  return { isLaid, isPoorer, isMissed: isMissed && !isLaid && contradicted.length === 0, contradicted }
}

/** The longest stretch of marks that ends as the rows of a checkpoint do. */
function stretchOf(rows: readonly string[], marks: readonly string[]): { readonly from: number; readonly to: number } {
  let longest = { from: 0, to: 0 }
  for (let to = marks.indexOf(rows.at(-1) ?? '') + 1; to > 0; to = marks.indexOf(rows.at(-1) as string, to) + 1) {
    let from = to
    while (from > 0 && marks[from - 1] === rows[rows.length - 1 - (to - from)]) from--
    if (to - from > longest.to - longest.from) longest = { from, to }
  }
  return longest
}

/** What is left of a checkpoint, as if nothing but what is said stood in the history. */
function cut({ began: _of, ...checkpoint }: Checkpoint, messages: readonly Message[], said: readonly number[], leading: number): Checkpoint {
  const { covered } = checkpoint
  const gone = new Set(checkpoint.unsaid)
  const before = Array.from({ length: covered }, (_, index) => index).filter((index) => !gone.has(index))
  const first = said.length - before.length
  const places = new Map(before.flatMap((index, at) => (at + first < leading ? [] : [[index, at + first] as const])))
  const placesOf = (indices: readonly number[]): readonly number[] => indices.flatMap((index) => places.get(index) ?? [])
  return {
    ...checkpoint,
    covered: said.length,
    length: checkpoint.length - covered + said.length,
    fingerprint: fingerprint(messages, (said.at(-1) as number) + 1),
    kept: [...Array.from({ length: leading }, (_, index) => index), ...placesOf(checkpoint.kept)],
    dropped: placesOf(checkpoint.dropped),
    edits: checkpoint.edits.flatMap((edit) => placesOf([edit.index]).map((index) => ({ ...edit, index }))),
    unsaid: [],
  }
}
