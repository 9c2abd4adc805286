import { leavesIn } from '../../history/json.ts'
import { parseInput, patchedFile, replaced } from '../texts/call-input.ts'
import { oneLine } from '../texts/truncate.ts'
import { outlineIn } from './outlines.ts'

// `src/a.ts: edit → function send(order: Order)`: a line about a file that was changed.

/** Characters of what was changed, at least and at most. */
const shortest = 16
const longest = 72
/** An import, or one of many texts: it says little of a change. */
const saysLittle = /^\s*(?:import\b|from\b|use\b|["'])/
/** A diff, and a text that holds old and new with marks of its own between them. */
const diff = /^(?:@@|\*{3} )/m
const marked = /^<{5}/m

/**
 * What a change of a file writes, to stand behind its tool: the first declaration or heading among the new lines, or else the first of them; what is taken away
 * begins as in a diff. "" where the arguments hold no text of the file.
 */
export function whatChanged(input: string, path: string): string {
  const [old, made] = [new Set<string>(), new Set<string>()]
  for (const [name, text] of leavesIn(parseInput(input) ?? [input])) {
    if (typeof text !== 'string' || text === path || /id$/i.test(name) || marked.test(text)) continue
    const isDiff = name === 'diff' || diff.test(text)
    for (const line of sectionOf(text, path).split('\n'))
      if (!isDiff) (replaced.test(name) ? old : made).add(line)
      else if (/^[+-]/.test(line)) (line.startsWith('-') ? old : made).add(line.slice(1))
  }
  const newIn = (lines: ReadonlySet<string>, others: ReadonlySet<string>): readonly string[] =>
    [...lines].filter((line) => line.trim().length >= shortest && !saysLittle.test(line) && !others.has(line))
  const added = newIn(made, old)
  const line = outlineIn(added.join('\n'), path)[0]?.text ?? added[0] ?? newIn(old, made)[0]?.replace(/^/, '- ')
  return line === undefined ? '' : ` → ${oneLine(line, longest)}`
}

/** The path in such a line. */
export const changedPath = (line: string): string => line.split(/: \S+(?: → |$)/, 1)[0] as string

/** Of a patch of several files, what is said of one; another text as it is. */
function sectionOf(text: string, path: string): string {
  const pieces = text.split(patchedFile)
  return pieces.length === 1 ? text : pieces.filter((_, at) => pieces[at - 1] === path).join('\n')
}
