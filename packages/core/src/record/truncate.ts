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

/** Keeps head (60 %) and tail (40 %) of a text that is longer than `length` characters. */
export function cutMiddle(text: string, length: number): string {
  if (text.length <= length) return text
  const head = cutBefore(text, Math.ceil(length * 0.6))
  const tail = cutBefore(text, text.length - Math.floor(length * 0.4))
  return `${text.slice(0, head)}\n[… ${tail - head} characters …]\n${text.slice(tail)}`
}
