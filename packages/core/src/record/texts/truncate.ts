// Cuts that never split a character in two. Lengths are in UTF-16 units.
import { cutBefore } from '../../history/cut-before.ts'

/** The beginning of a text, with an ellipsis where something is left out. */
export function clip(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, cutBefore(text, length))}…`
}

/** The same on one line. */
export function oneLine(text: string, length: number): string {
  return clip(text.replace(/[\s\x85]+/g, ' ').trim(), length)
}

/** A third of it from the beginning and the rest from the end of a line that is longer: what a message comes to stands last. */
export function withEnds(line: string, length: number): string {
  const head = Math.ceil(length / 3)
  return line.length <= length ? line : `${clip(line, head)}${line.slice(cutBefore(line, line.length - length + head))}`
}

/** The part of a length within which a line or a word may end: an eighth. */
const nearby = 8

const borderOf = (text: string): string => ['\n', ' ', '。'].find((border) => text.includes(border)) ?? ' '

/** Keeps head (60 %) and tail (40 %) of a text that is longer than `length` characters, and says how much stands between. */
export function cutMiddle(text: string, length: number): string {
  return joined(endsOf(text, length), text)
}

/** The two ends of a text, with how much stands between; one is the text. */
export function joined([head = '', tail]: readonly string[], text: string): string {
  if (tail === undefined) return head
  const gap = `[… ${text.length - head.length - tail.length} characters …]`
  return [head, gap, tail].filter((one) => one !== '').join('\n')
}

/** The same as what is kept: the text, or its head and its tail, up to and from the end of a line, a word or a sentence where one is near. */
export function endsOf(text: string, length: number): readonly string[] {
  if (text.length <= length) return [text]
  const [most, least, near] = [Math.ceil(length * 0.6), text.length - Math.floor(length * 0.4), Math.floor(length / nearby)]
  const [before, after] = [text.slice(most - near, most), text.slice(least, least + near)]
  const stop = before.lastIndexOf(borderOf(before))
  const start = after.indexOf(borderOf(after))
  return [
    text.slice(0, stop < 0 ? cutBefore(text, most) : most - near + stop + 1).trimEnd(),
    text.slice(start < 0 ? cutBefore(text, least) : least + start + 1),
  ]
}
