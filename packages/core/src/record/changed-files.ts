import { parseInput, replaced } from './call-input.ts'
import { outlineIn } from './outlines.ts'
import { oneLine } from './truncate.ts'

// `src/a.ts: edit → function send(order: Order)`: a line about a file that was changed.

/** Characters of what was changed, at least and at most. */
const shortest = 16
const longest = 72
/** An import, or one of many texts: it says little of a change. */
const saysLittle = /^\s*(?:import\b|from\b|use\b|["'])/

/**
 * What a change of a file writes, to stand behind its tool: the first declaration or heading among the new lines, or else the first of them; what is taken away
 * begins as in a diff. "" where the arguments hold no text of the file.
 */
export function whatChanged(input: string, path: string): string {
  const fields = Object.entries(parseInput(input) ?? {})
  const linesOf = (isOld: boolean): readonly string[] =>
    fields.flatMap(([name, value]) => (replaced.test(name) === isOld && typeof value === 'string' && value !== path ? value.split('\n') : []))
  const [old, made] = [linesOf(true), linesOf(false)]
  const newIn = (lines: readonly string[], others: readonly string[]): readonly string[] =>
    lines.filter((line) => line.trim().length >= shortest && !saysLittle.test(line) && !others.includes(line))
  const added = newIn(made, old)
  const line = outlineIn(added.join('\n'), path)[0]?.text ?? added[0] ?? newIn(old, made)[0]?.replace(/^/, '- ')
  return line === undefined ? '' : ` → ${oneLine(line, longest)}`
}

/** The path in such a line. */
export const changedPath = (line: string): string => line.split(/: \S+(?: → |$)/, 1)[0] as string
