import type { Finding } from '@precis/core'
import type { NearFinder } from './near.ts'

/** Lines of a key block at most: an RSA key of 16,384 bits has fewer. */
const mostLines = 250

/** A line of a key's body, with what listings, diffs and quotations put in front of it. */
const body =
  /^[\s>|+\-\d:→]{0,24}[A-Za-z0-9+/]{16,120}={0,2}["',\\]{0,3}\s*$|^[\s>|+\-\d:→]{0,24}(?:Proc-Type|DEK-Info|Comment|Version|Hash|Charset): ?[^\n]{1,120}$|^[\s>|+\-\d:→]{0,24}=?[A-Za-z0-9+/]{1,120}={0,2}$|^[\s>|+]*$/

/** A key's body on the line of its beginning, with blanks where its lines ended. */
const onOneLine = /[ \t]{0,8}[A-Za-z0-9+/]{40,12000}={0,2}(?:[ \t]{1,8}[A-Za-z0-9+/]{16,12000}={0,2}){0,250}/y

/** Characters of a whole block at most. */
const longestBlock = 12_000

const begin = /-----BEGIN[ A-Z0-9_-]{0,100}PRIVATE KEY(?: BLOCK)?-----/gi
const end = /-----END[ A-Z0-9_-]{0,100}PRIVATE KEY(?: BLOCK)?-----/gi

/** Key blocks, whatever stands around their lines and between them. */
function wholeBlocks(text: string): readonly Finding[] {
  const found: Finding[] = []
  const ends = text.matchAll(end)
  let next = ends.next()
  for (const { index } of text.matchAll(begin)) {
    while (next.done !== true && next.value.index < index) next = ends.next()
    if (next.done === true) break
    const stop = next.value.index + next.value[0].length
    if (stop - index <= longestBlock) found.push({ start: index, end: stop, tag: 'private-key' })
  }
  return found
}

/** Key blocks, also those of which an end is missing: an excerpt that begins inside, or one that ends there. */
export const keyBlockFinder: NearFinder = {
  near: '-----begin|-----end',
  find(text) {
    const found: Finding[] = [...wholeBlocks(text)]
    for (const { 0: end, index } of text.matchAll(/-----END[ A-Z0-9_-]{0,100}PRIVATE KEY(?: BLOCK)?-----/g)) {
      let start = text.lastIndexOf('\n', index) + 1
      if (start === 0) continue
      for (let lines = 0; lines < mostLines && start > 0; lines++) {
        const before = text.lastIndexOf('\n', start - 2) + 1
        if (!body.test(text.slice(before, start - 1))) break
        start = before
      }
      if (index - start > 40) found.push({ start, end: index + end.length, tag: 'private-key' })
    }
    for (const { 0: begin, index } of text.matchAll(/-----BEGIN[ A-Z0-9_-]{0,100}PRIVATE KEY(?: BLOCK)?-----/g)) {
      onOneLine.lastIndex = index + begin.length
      if (onOneLine.test(text)) found.push({ start: index, end: onOneLine.lastIndex, tag: 'private-key' })
      let end = text.indexOf('\n', index + begin.length)
      if (end < 0) continue
      const first = end
      for (let lines = 0; lines < mostLines && end < text.length; lines++) {
        const stop = text.indexOf('\n', end + 1)
        const next = stop < 0 ? text.length : stop
        if (!body.test(text.slice(end + 1, next))) break
        end = next
      }
      if (end - first > 20) found.push({ start: index, end, tag: 'private-key' })
    }
    return found
  },
}
