import type { DigestEntry } from '../facts.ts'
import type { SummaryRequest } from './request.ts'

const kinds: Readonly<Record<string, DigestEntry['kind']>> = {
  'Files Modified': 'file-changed',
  'Files Read': 'file-read',
  'Key Decisions': 'decision',
  'Failed Approaches': 'failed-attempt',
  'Errors Encountered': 'error',
  'Next Steps': 'open',
}

/**
 * A summary written from facts alone: every required section, each line verbatim from the history, newest first.
 * Each section gets an equal share of the room that is left.
 *
 * @param count Tokens of a text.
 */
export function writeFromFacts(request: SummaryRequest, count: (text: string) => number): string {
  const requests = request.facts.filter((entry) => entry.kind === 'request')
  const lines: string[] = []
  let left = request.maxTokens
  const say = (line: string): boolean => {
    const tokens = count(line) + 1
    if (tokens > left) return false
    left -= tokens
    lines.push(line)
    return true
  }
  request.requiredSections.forEach((section, at) => {
    lines.push(`## ${section}`)
    left -= count(section) + 3
    const share = left / (request.requiredSections.length - at)
    const floor = left - share
    const entries = entriesFor(section, request.facts, requests)
    let said = 0
    for (const entry of entries) if (left > floor && say(`- ${entry.text}`)) said++
    if (said === 0) lines.push('(none)')
  })
  return lines.join('\n')
}

function entriesFor(section: string, facts: readonly DigestEntry[], requests: readonly DigestEntry[]): readonly DigestEntry[] {
  if (section === 'Session Intent') return requests.slice(-1)
  if (section === 'Current Task') return requests.length > 1 ? requests.slice(0, 1) : []
  const kind = kinds[section]
  if (kind !== undefined) return facts.filter((entry) => entry.kind === kind)
  return facts.filter((entry) => entry.kind !== 'error' && entry.kind !== 'file-read')
}
