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

/** Share of a length within which a line or a word may end. */
const nearby = 8

/** Keeps head (60 %) and tail (40 %) of a text that is longer than `length` characters, up to and from the end of a line or a word where one is near. */
export function cutMiddle(text: string, length: number): string {
  if (text.length <= length) return text
  const [most, least] = [Math.ceil(length * 0.6), text.length - Math.floor(length * 0.4)]
  const [before, after] = [text.slice(most - Math.floor(length / nearby), most), text.slice(least, least + Math.floor(length / nearby))]
  const back = before.length - Math.max(before.lastIndexOf('\n'), before.includes('\n') ? 0 : before.lastIndexOf(' '))
  const on = 1 + (after.includes('\n') ? after.indexOf('\n') : after.indexOf(' '))
  const head = back > before.length ? cutBefore(text, most) : most - back
  const tail = on === 0 ? cutBefore(text, least) : least + on
  return `${text.slice(0, head)}\n[… ${tail - head} characters …]\n${text.slice(tail)}`
}
