import { memoized } from '../history/memoize.ts'
import type { Tokens } from '../history/message.ts'
import { isAct } from './acts.ts'
import type { RecordEntry } from './facts.ts'
import { clip } from './truncate.ts'

/** Characters for each token of a record: of calls that have a line of their own, and of those that stand together, so many at most. */
const forLines = 0.3
const forMore = 1.2
const mostForMore = 6_000
/** The same of calls that only look, where there are so many of one tool, in a record of so many Tokens: who reads page after page goes on where it was. */
const forLooks = 0.15
const leastLooks = 5
const leastForLooks = 250
/** Characters by which a call is told from others of its tool, most stretches of its words that they are of, and most calls of a tool that are told: more than there is room for. */
const longestKey = 48
const mostRuns = 3
const mostTold = 2_000

/** Calls, newest first: as many in their own words as there is room, below one entry for each tool with the words that tell the others of its calls apart from one another. */
export function calledLines(calls: readonly RecordEntry[], budget: Tokens): readonly RecordEntry[] {
  let room = budget * forLines
  const byTool = new Map<string, { count: number; shown: number; readonly texts: string[]; readonly keys: string[] }>()
  const own = calls.filter(({ text }) => {
    const [, tool = toolOf(text), count = 1, keys] = together.exec(text) ?? []
    const group = memoized(byTool, tool, () => ({ count: 0, shown: 0, texts: [], keys: [] }))
    const isOwn = keys === undefined && room > 0 && isAct(tool)
    if (isOwn) group.shown++
    else group.count += Number(count)
    if (keys !== undefined) group.keys.push(keys)
    else if (group.texts.push(text) && isAct(tool)) room -= text.length
    return isOwn
  })
  const groups = [...byTool].filter(([tool, { count }]) => (isAct(tool) ? count > 0 : count >= leastLooks && budget >= leastForLooks))
  const acting = groups.filter(([tool]) => isAct(tool)).length
  const more = groups.flatMap(([tool, { count, shown, texts, keys }]): readonly RecordEntry[] => {
    const most = isAct(tool) ? Math.min(budget * forMore, mostForMore) / acting : (budget * forLooks) / (groups.length - acting)
    const line = clip(`${tool}, ${count} more: ${[...keysOf(tool, texts, shown), ...keys].join(', ')}`, most)
    const text = count > 1 ? line : (texts[shown] ?? line)
    // Where there is no room for one of them, a name says nothing.
    return most < longestKey ? [] : [{ kind: 'call', text, sources: [] }]
  })
  // What was done stands before what was looked at.
  return [...more, ...own].sort((a, b) => Number(isAct(toolOf(b.text))) - Number(isAct(toolOf(a.text))))
}

/** The words that tell calls of a tool apart, but of those that have lines of their own; where none has, the newest in all its words. */
function keysOf(tool: string, texts: readonly string[], shown: number): readonly string[] {
  const told = texts.slice(0, shown + mostTold)
  const counts = new Map<string, number>()
  for (const text of told) for (const word of new Set(wordsOf(text))) counts.set(word, (counts.get(word) ?? 0) + 1)
  const isShared = (word: string): boolean => (counts.get(word) as number) * 2 > Math.max(2, told.length)
  const runsOf = (text: string): readonly string[] =>
    wordsOf(text)
      .map((word) => (isShared(word) ? '|' : word))
      .join(' ')
      .split(/(?: ?\| ?)+/)
      .filter(Boolean)
  // How one ended that ended otherwise than most, whatever number each has.
  const ends = told.map((text) => text.split(' → ').slice(1).pop() ?? '')
  const odd = ends.map((end) => runsOf(end.replace(/\S*\d\S*/g, '')).length > 0)
  const isRare = odd.filter(Boolean).length * 2 < told.length
  let keys: readonly string[] = []
  for (let runs = 1; runs <= mostRuns && new Set(keys).size < told.length; runs++)
    keys = told.map((text, nth) => {
      const own = text.slice(tool.length + 1)
      return clip(shown + nth === 0 ? own : runsOf(own).slice(0, runs).join(' '), longestKey)
    })
  const ended = keys.map((key, nth) => (isRare && odd[nth] ? clip(`${key} → ${ends[nth]}`, 2 * longestKey) : key))
  return ended.slice(shown).filter(Boolean)
}

/** What stood together in an earlier record goes on so. */
const together = /^(\S+), (\d{1,6}) more: (.*)/
const toolOf = (text: string): string => text.replace(/,? .*/, '')
const wordsOf = (text: string): readonly string[] => text.split(/[\s"'{}:,|@]+/)
