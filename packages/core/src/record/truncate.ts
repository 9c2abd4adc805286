// Cuts that never split a character in two. Lengths are in UTF-16 units.
import { cutBefore } from '../history/cut-before.ts'

/** The beginning of a text, with an ellipsis where something is left out. */
export function clip(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, cutBefore(text, length))}…`
}

/** The same on one line. */
export function oneLine(text: string, length: number): string {
  return clip(text.replace(/[\s\x85]+/g, ' ').trim(), length)
}

/** The part of a length within which a line or a word may end: an eighth. */
const nearby = 8

const borderOf = (text: string): string => (text.includes('\n') ? '\n' : ' ')

/** Keeps head (60 %) and tail (40 %) of a text that is longer than `length` characters, up to and from the end of a line or a word where one is near. */
export function cutMiddle(text: string, length: number): string {
  if (text.length <= length) return text
  const [most, least, near] = [Math.ceil(length * 0.6), text.length - Math.floor(length * 0.4), Math.floor(length / nearby)]
  const [before, after] = [text.slice(most - near, most), text.slice(least, least + near)]
  const stop = before.lastIndexOf(borderOf(before))
  const start = after.indexOf(borderOf(after))
  const head = stop < 0 ? cutBefore(text, most) : most - near + stop
  const tail = start < 0 ? cutBefore(text, least) : least + start + 1
  return `${text.slice(0, head)}\n[… ${tail - head} characters …]\n${text.slice(tail)}`
}
