import { cutBefore } from '../../history/cut-before.ts'
import type { Message, ToolResultPart } from '../../history/message.ts'
import type { Pieces } from '../../history/pieces.ts'
import { scanErrorLines, scanTerms } from './names.ts'

/**
 * What is known of a long text without reading it again: where its names are, by blocks of whole lines, and how often it says each.
 * Numbers are packed as characters: an array of bytes takes two hundred bytes beside its content, and most texts are short.
 */
export interface Skim {
  /** Two for each block: its length, and what the names are worth that the text says first in it (in sixty-fourths). */
  readonly blocks: string
  /** Two for each name: its `nameKey`, then how often it stands there (up to 255). */
  readonly names: string
}

/** Sixty-fourths of an identifier, in which blocks are weighed. */
export const weighed = 64

/** Characters of one block, about; blocks of a line without an end are cut at a blank. Source: npm run evals, 256 to 1,024 tried. */
const blockSize = 384
const known = new WeakMap<Message | ToolResultPart, Skim>()

/** Reads an output, or the calls of a message, once: a tenth of its size is remembered for as long as it lives. @param text What is read of it: always the same. */
export function* skim(of: Message | ToolResultPart, text: string): Pieces<Skim> {
  const before = known.get(of)
  if (before) return before
  const blocks: number[] = []
  const places = new Map<string, number>()
  let worth = 0
  const found = (name: string, likeness: number): void => {
    const times = places.get(name) ?? 0
    if (times === 0) worth += shareOf(likeness)
    places.set(name, Math.min(255, times + 1))
  }
  for (let from = 0; from < text.length; ) {
    const end = blockEnd(text, from)
    worth = 0
    const block = text.slice(from, end)
    scanTerms(block, (name, _start, _end, likeness) => found(name, likeness))
    scanErrorLines(block, (line) => found(line, lineOfFailure))
    blocks.push(end - from, Math.round(worth * weighed))
    from = end
    if (blocks.length % (2 * blocksAtOnce) === 0) yield
  }
  const names: number[] = []
  for (const [name, count] of places) {
    const key = nameKey(name)
    names.push(key >>> 8, ((key & 255) << 8) | count)
  }
  const made: Skim = { blocks: packed(blocks), names: packed(names) }
  known.set(of, made)
  return made
}

/** Blocks that are read in one piece. */
const blocksAtOnce = 32

function packed(numbers: readonly number[]): string {
  let text = ''
  for (let at = 0; at < numbers.length; at += 4_096) text += String.fromCharCode(...numbers.slice(at, at + 4_096))
  return text
}

/** A name as 24 bits: two that are the same are one name, as far as counts go. */
export function nameKey(name: string): number {
  let key = 0x811c9dc5
  for (let at = 0; at < name.length; at++) key = Math.imul(key ^ name.charCodeAt(at), 0x01000193)
  return (key ^ (key >>> 24)) & 0xffffff
}

/** What counts as an identifier, and a line that speaks of a failure, by `nameWorth`: code is full of those. */
const lineOfFailure = 0.5
const identifier = 2

/** What a name is worth beside an identifier: a number a quarter of it. */
function shareOf(likeness: number): number {
  return likeness >= identifier ? 1 : likeness >= 0.5 ? 0.25 : likeness
}

function blockEnd(text: string, from: number): number {
  const near = from + blockSize
  if (near >= text.length) return text.length
  const line = text.slice(near, near + blockSize * 4).indexOf('\n')
  if (line >= 0) return near + line + 1
  if (near + blockSize >= text.length) return text.length
  const blank = text.slice(near, near + blockSize).indexOf(' ')
  return blank >= 0 ? near + blank + 1 : cutBefore(text, Math.min(text.length, near + blockSize))
}
