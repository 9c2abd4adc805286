import type { RecordEntry } from '../record/facts.ts'
import type { SummaryRequest } from './request.ts'
import { styleOf } from './style.ts'

/** Kinds in the order in which free prose tells them. */
const told: readonly RecordEntry['kind'][] = [
  'first-request',
  'request',
  'requirement',
  'file-changed',
  'decision',
  'failed-attempt',
  'error',
  'command',
  'open',
]

/**
 * A summary written from facts alone, each line verbatim from the history. Each section gets an equal share of the room that is left;
 * one without a line is left out: code knows what it found, not that there was nothing.
 *
 * @param count Tokens of a text.
 */
export function writeFromFacts(request: SummaryRequest, count: (text: string) => number): string {
  const { sections } = styleOf(request.style)
  const lines: string[] = []
  let left = request.maxTokens
  const say = (line: string): boolean => {
    const tokens = count(line) + 1
    if (tokens > left) return false
    left -= tokens
    lines.push(line)
    return true
  }
  if (sections.length === 0) {
    for (const entry of entriesOf(told, request.facts)) say(lineOf(entry, told))
    return lines.join('\n')
  }
  sections.forEach(({ title, facts }, at) => {
    const before = left
    const share = left / (sections.length - at)
    const heading = `## ${title}`
    if (!say(heading)) return
    let said = 0
    for (const entry of entriesOf(facts, request.facts)) if (before - left < share && say(lineOf(entry, facts))) said++
    if (said > 0) return
    lines.pop()
    left = before
  })
  return lines.join('\n')
}

/** Kinds that are the user's own words. */
const asked: readonly RecordEntry['kind'][] = ['first-request', 'request', 'requirement']

/** Where words of the user stand in one list with those of tools, each line says what it is. */
function lineOf({ kind, text }: RecordEntry, beside: readonly RecordEntry['kind'][]): string {
  const mixed =
    beside.some((one) => asked.includes(one)) && beside.some((one) => ['error', 'failed-attempt', 'command', 'file-changed', 'file-read'].includes(one))
  return mixed ? `- ${asked.includes(kind) ? 'asked' : kind}: ${text}` : `- ${text}`
}

function entriesOf(kinds: readonly RecordEntry['kind'][], facts: readonly RecordEntry[]): readonly RecordEntry[] {
  return kinds.flatMap((kind) => facts.filter((entry) => entry.kind === kind))
}
