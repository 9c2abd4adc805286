import { identifies } from '../history/digests.ts'
import { fingerprint, fingerprintsOfRows } from '../history/fingerprint.ts'
import type { Message } from '../history/message.ts'
import type { Checkpoint } from './checkpoint.ts'
import { lastPlaced, placedOn } from './placed.ts'

/** Messages in a row that are one mark: what two histories share of fewer tells nothing. */
const row = 4
/** Marks that a checkpoint keeps, and hexadecimal digits of each. */
const [mostMarks, digits] = [500, 6]
/** Messages at most that a host keeps before the newest ones: its own first, or a note of what it left out. */
const mostLeading = 4

/** Indices of the messages that say something of a conversation's identity. */
const saidIn = (messages: readonly Message[]): readonly number[] => messages.flatMap((message, index) => (identifies(message) ? [index] : []))

const marksOf = (messages: readonly Message[], said: readonly number[]): readonly string[] =>
  fingerprintsOfRows(messages, said, row).map((mark) => mark.slice(0, digits))

/** Marks of the newest messages that a checkpoint covers, one after another: a mark of four together lets nobody try what one of them says. */
export function endsOf(messages: readonly Message[], covered: number): string | undefined {
  const said = saidIn(messages.slice(0, covered)).slice(1 - row - mostMarks)
  return marksOf(messages, said).join('') || undefined
}

/**
 * Lays the newest checkpoint that it can on a history whose beginning the host has cut, as one does that hands over the newest forty messages: what is left of
 * the covered messages is all there, in order, and the summary speaks for those that left as well. What stands before them is shown as it is.
 *
 * For checkpoints of one conversation: others may go the same way for a while.
 *
 * @returns whether it found one; `placedOn` knows where it lies from then on.
 */
export function layOnCut(checkpoints: readonly Checkpoint[], messages: readonly Message[]): boolean {
  const said = saidIn(messages)
  const marks = marksOf(messages, said.slice(0, mostLeading + mostMarks + row)).join('')
  return checkpoints.toReversed().some((checkpoint) => {
    const { ends = '', covered, unsaid = [] } = checkpoint
    for (let leading = 0; leading <= mostLeading; leading++) {
      const mark = marks.slice(leading * digits, (leading + 1) * digits)
      for (let at = mark === '' ? -1 : ends.indexOf(mark); at >= 0; at = ends.indexOf(mark, at + 1)) {
        const rest = ends.slice(at)
        const end = leading + rest.length / digits + row - 1
        // A first message in other words, with all the others behind it, may be another conversation.
        if (at % digits > 0 || end >= covered - unsaid.length || !marks.startsWith(rest, leading * digits)) continue
        const placed = placedOn(cut(checkpoint, messages, said.slice(0, end), leading), messages)
        if (placed === undefined) continue
        lastPlaced.set(checkpoint, placed)
        return true
      }
    }
    return false
  })
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
