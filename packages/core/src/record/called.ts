import { memoized } from '../history/memoize.ts'
import type { Tokens } from '../history/message.ts'
import type { RecordEntry } from './facts.ts'
import { clip } from './truncate.ts'

/** Characters for each token of a record: of calls that have a line of their own, and of those that stand together, so many at most. */
const forLines = 0.3
const forMore = 1.2
const mostForMore = 6_000
/** Characters by which a call is told from others of its tool, most stretches of its words that they are of, and most calls of a tool that are told: more than there is room for. */
const longestKey = 48
const mostRuns = 3
const mostTold = 2_000

/** Calls, newest first: as many in their own words as there is room, below one entry for each tool with the words that tell the others of its calls apart from one another. */
export function calledLines(calls: readonly RecordEntry[], budget: Tokens): readonly RecordEntry[] {
  let room = budget * forLines
  const byTool = new Map<string, string[]>()
  const own = calls.filter(({ text }) => {
    // What stood together in an earlier record goes on so.
    const isOwn = room > 0 || text.includes(' more: ')
    room -= text.length
    if (!isOwn) memoized(byTool, toolOf(text), (): string[] => []).push(text)
    return isOwn
  })
  const most = Math.min(budget * forMore, mostForMore) / byTool.size
  const more = Array.from(byTool, ([tool, texts]): RecordEntry => {
    const told = texts.slice(0, mostTold)
    const counts = new Map<string, number>()
    for (const text of told) for (const word of new Set(wordsOf(text))) counts.set(word, (counts.get(word) ?? 0) + 1)
    const isShared = (word: string): boolean => (counts.get(word) as number) * 2 > told.length
    const runsOf = (text: string): readonly string[] =>
      wordsOf(text)
        .map((word) => (isShared(word) ? '|' : word))
        .join(' ')
        .split(/(?: ?\| ?)+/)
        .filter(Boolean)
    let keys: readonly string[] = []
    for (let runs = 1; runs <= mostRuns && new Set(keys).size < told.length; runs++)
      keys = told.map((text) => clip(runsOf(text).slice(0, runs).join(' '), longestKey))
    const together = clip(`${tool}, ${texts.length} more: ${keys.join(', ')}`, most)
    return { kind: 'call', text: texts.length > 1 ? together : (texts[0] as string), sources: [] }
  })
  return [...more, ...own]
}

const toolOf = (text: string): string => text.replace(/ .*/, '')
const wordsOf = (text: string): readonly string[] => text.split(/[\s"'{}:,|]+/)
