import { cutBefore } from '../history/cut-before.ts'

/** Characters of a passage of an output at most, as many as a long line has with what stands around it, and of what stands below a line that opens a block. */
const longest = 480
const below = 260

interface Stretch {
  readonly start: number
  readonly end: number
}

/**
 * A passage of an output, grown to what it is about: from a line that opens a block downward, and to the nearest lines with other words of the query. What was
 * given is part of it.
 *
 * @param around The passage with what stands around it.
 * @param beside Lines with other words of the query, the best first.
 */
export function grownInBlock(text: string, line: Stretch, around: Stretch, beside: readonly Stretch[]): Stretch {
  let grown = opensBlock(text, line) ? { start: line.start, end: blockEnd(text, line) } : around
  for (const one of beside) {
    const both = { start: Math.min(grown.start, one.start), end: Math.max(grown.end, one.end) }
    // What stands on the far side of the line makes room, first what is around it.
    const least = { start: Math.min(line.start, one.start), end: Math.max(line.end, one.end) }
    if (both.end - both.start <= longest) grown = both
    else if (grown === around && least.end - least.start <= longest) grown = least
  }
  return { start: cutBefore(text, grown.start), end: cutBefore(text, grown.end) }
}

const indent = (line: string): number => line.search(/\S|$/)
/** A heading of Markdown, of a page’s outline, or of a setting; a title between blank lines. */
const heading = /^\s*(?:#{1,6} |[-*] heading |\[[^\]]+\]$|<h\d)/
const opener = /[({[:]\s*$/
const longestTitle = 80

/** Whether a line says what the lines below it are about. */
function opensBlock(text: string, line: Stretch): boolean {
  if (!isWhole(text, line)) return false
  const [own, next] = [text.slice(line.start, line.end), lineAt(text, line.end + 1)]
  return isTitle(text, line) || opener.test(own) || (next.trim() !== '' && indent(next) > indent(own))
}

/** A line of its own with another below it. */
const isWhole = (text: string, { start, end }: Stretch): boolean => (start === 0 || text[start - 1] === '\n') && text[end] === '\n'
const link = /\blink\b|\burl:|\]\(|href=|\bhttps?:\/\/\S+$/i

/** Whether a line is the title of what stands below it: a heading, a line that stands alone, one above a table. */
export function isTitle(text: string, line: Stretch): boolean {
  const own = text.slice(line.start, line.end)
  if (!isWhole(text, line) || link.test(own)) return false
  const next = lineAt(text, line.end + 1)
  const standsAlone = own.length <= longestTitle && (line.start === 0 || text[line.start - 2] === '\n') && next.trim() === ''
  return heading.test(own) || standsAlone || (/^\s*(?:\||[-=+]{3})/.test(next) && !/^\s*\|/.test(own))
}

/** Whether a line leads elsewhere. */
export const leadsElsewhere = (line: string): boolean => link.test(line)

/** A line by which it is known again, without the references of one snapshot. */
export const likeness = (line: string): string => line.slice(0, 200).replace(/\[?\b(?:ref|uid)=\w+\]?|[^\p{L}\p{N}]+/gu, '')

/** The end of what stands below a line: before what is less indented, at the mark that closes it, before a heading, or where it gets long. */
function blockEnd(text: string, { start, end }: Stretch): number {
  const own = indent(text.slice(start, end))
  const isHeading = heading.test(text.slice(start, end))
  let to = end
  while (to < text.length) {
    const line = lineAt(text, to + 1)
    const next = to + 1 + line.length
    if (next - end > below) break
    if (line.trim() !== '' && (indent(line) < own || heading.test(line))) break
    to = next
    if (!isHeading && line.trim() !== '' && indent(line) === own && /^\s*[)}\]]/.test(line)) break
  }
  return Math.min(text.length, to)
}

function lineAt(text: string, from: number): string {
  const end = text.indexOf('\n', from)
  return text.slice(from, end < 0 ? text.length : end)
}
