import { memoized } from '../../history/memoize.ts'
import type { Tokens } from '../../history/message.ts'
import { countsOf } from '../texts/counts.ts'
import { clip, withEnds } from '../texts/truncate.ts'
import { isAct } from './acts.ts'
import type { RecordEntry } from './facts.ts'

/** Characters for each token of a record: of calls that have a line of their own, and of those that stand together, so many at most. */
const forLines = 0.3
const forMore = 1.2
const mostForMore = 6_000
/** The same of calls that only look, where there are so many of one tool: who reads page after page goes on where it was. */
const forLooks = 0.5
const leastLooks = 5
/** Characters by which a call is told from others of its tool, most stretches of its words that they are of, and most calls of a tool that are told: more than there is room for. */
const longestKey = 48
const mostRuns = 3
const mostTold = 2_000

/** Calls, newest first: as many in their own words as there is room, below one entry for each tool with the words that tell the others of its calls apart from one another. */
export function calledLines(found: readonly RecordEntry[], budget: Tokens): readonly RecordEntry[] {
  // The same click on another page is another act.
  const calls = found.map((call) => (call.sources.length > 1 ? { ...call, text: `${call.text} ×${call.sources.length}` } : call))
  let room = budget * forLines
  const byTool = new Map<string, { count: number; shown: number; readonly texts: string[]; readonly keys: string[] }>()
  const own = calls.filter(({ text, sources }) => {
    const [, tool = toolOf(text), count = sources.length, keys] = together.exec(text) ?? []
    const group = memoized(byTool, tool, () => ({ count: 0, shown: 0, texts: [], keys: [] }))
    const isOwn = !keys && room > 0 && isAct(tool)
    if (isOwn) group.shown++
    else group.count += +count
    if (keys) group.keys.push(keys)
    else if (group.texts.push(text) && isAct(tool)) room -= text.length
    return isOwn
  })
  // What needs less than its part leaves the rest to others. Where there is no room for one of them, a name says nothing.
  const within = (acts: boolean, room: number): readonly RecordEntry[] =>
    [...byTool]
      .flatMap(([tool, { count, shown, texts, keys }]) => {
        if (isAct(tool) !== acts || count < (acts ? 1 : leastLooks)) return []
        const line = `${tool}, ${count} more: ${[...keysOf(tool, texts, shown), ...keys].join(', ')}`
        return texts[shown + 1] || keys[0] ? line : (texts[shown] ?? line)
      })
      .sort((a, b) => a.length - b.length)
      .flatMap((line, nth, { length }) => {
        const most = room / (length - nth)
        // Where there is no room for values, each is named all the same.
        const text = line.length > most ? clip(line.replace(/ → \S+(?=, |$)/g, ''), most) : line
        if (text !== line && most < longestKey) return []
        room -= text.length
        return { kind: 'call', text, sources: [] }
      })
  // What was done stands before what was looked at.
  return [...within(true, Math.min(budget * forMore, mostForMore)), ...own, ...within(false, budget * forLooks)]
}

/** The words that tell calls of a tool apart, but of those that have lines of their own; where none has, the newest in all its words. */
function keysOf(tool: string, texts: readonly string[], shown: number): readonly string[] {
  const told = texts.slice(0, shown + mostTold)
  const counts = countsOf(told.map(wordsOf))
  const isShared = (word: string): boolean => (counts.get(word) as number) * 2 > Math.max(2, told.length)
  const runsOf = (text: string): readonly string[] =>
    wordsOf(text)
      .map((word) => (isShared(word) ? '|' : word))
      .join(' ')
      .replaceAll(' /', '/')
      .split(/(?: ?\| ?)+/)
      .filter(Boolean)
  // How one ended that ended otherwise than most, whatever number each has.
  const ends = told.map((text) => text.split(' → ').slice(1).pop() ?? '')
  const odd = ends.map((end) => runsOf(end.replace(/\S*\d\S*/g, '')).length > 0)
  const isRare = odd.filter(Boolean).length * 2 < told.length
  const runs = told.map((text) => runsOf(text.slice(tool.length + 1)))
  let keys = told.map(() => '')
  for (let left = mostRuns; left-- > 0; ) {
    // Of those that look alike so far, what not all of them have.
    const alike = countsOf(runs.map((own, nth) => ['', ...own].map((run) => `${keys[nth]}|${run}`)))
    keys = keys.map((key, nth) => {
      const own = (runs[nth] as readonly string[]).find((run) => alike.get(`${key}|${run}`) !== alike.get(`${key}|`)) ?? ''
      return `${key} ${own}`.trim()
    })
  }
  return keys
    .map((key, nth) => {
      const own = withEnds(shown + nth === 0 ? (told[0] as string).slice(tool.length + 1) : key, longestKey * (nth > 0 ? 1 : 2))
      const end = isRare && odd[nth] ? ends[nth] : /^[^"]+[=:] ?(\S*\d\S*)/.exec(ends[nth] as string)?.[1]
      return end ? clip(`${own} → ${end}`, 2 * longestKey) : own
    })
    .slice(shown)
    .filter(Boolean)
}

/** What stood together in an earlier record goes on so. */
const together = /^(\S+), (\d{1,6}) more: (.*)/
const toolOf = (text: string): string => text.replace(/,? .*/, '')
const wordsOf = (text: string): readonly string[] => text.split(/[\s"'{}:,|@]+|(?=\/)/)
