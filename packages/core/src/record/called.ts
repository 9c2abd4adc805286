import { memoized } from '../history/memoize.ts'
import type { Tokens } from '../history/message.ts'
import type { RecordEntry } from './facts.ts'
import { clip, oneLine, withEnds } from './truncate.ts'

/** Shares of a record for calls that have a line of their own, and for those that stand together, so many Tokens at most. */
const shareOfLines = 0.1
const shareOfMore = 0.4
const mostForMore = 2_000
/** Characters of a token, of a call, and of those of one tool that stand together, at least. */
const perToken = 3
const longestCall = 240
const leastTogether = 80
/** Characters by which a call is told from others of its tool, and most stretches of its words that they are of. */
const longestKey = 48
const mostRuns = 3

/** Tools that change nothing but the agent's own notes, by their names: `list_orders`, not `add_to_list`. */
const looks =
  /^(?!(?:.*[_\W])?(?:add|create|mark|publish|send|update)(?!.*(?:plan|todo))).*(?:(?:^|_|\W)(?:ask|calculate|check(?!out)|describe|find|get|list|load|look|query|read|resolve|show|skill|task|think|view)|f.tch|glob|grep|plan|search|shot|todo(?!ist)|^edit$)/i

/** Commands that change what is elsewhere, so that running them twice is another thing than once. */
const acts = /\b(?:DELETE|INSERT|PATCH|POST|PUT)\b|^(?!.* commit ).* (?:apply|close|create|delete|deploy|merge|publish|push|send)(?= |$)/

/** Whether a call, or the command that it runs, does something that is not to be done twice. */
export const isAct = (tool: string, command: string): boolean => (command === '' ? !looks.test(tool) : acts.test(command))

/** A call in one line: both ends of a command, or of each line that it was given. */
export const calledLine = (tool: string, command: string, input: string): string =>
  withEnds(oneLine(`${tool} ${command || input.replace(/^(.{40}).*(.{20})$/gm, '$1…$2')}`, Infinity), longestCall)

/** Lines for calls, newest first: as many of their own as there is room, below one for each tool with the words that tell the others of its calls apart. */
export function calledLines(calls: readonly RecordEntry[], budget: Tokens): readonly string[] {
  let room = budget * shareOfLines * perToken
  const byTool = new Map<string, string[]>()
  const lines: string[] = []
  for (const { text } of calls) {
    // What stood together in an earlier record goes on so.
    if (room > 0 || / more: /.test(text)) lines.push(text)
    else memoized(byTool, text.split(' ', 1)[0] as string, (): string[] => []).push(text)
    room -= text.length
  }
  const most = (Math.min(budget * shareOfMore, mostForMore) * perToken) / byTool.size
  const more = Array.from(byTool, ([tool, texts]) => {
    const all = [...texts, ...lines.filter((line) => line.startsWith(`${tool} `))]
    const counts = new Map<string, number>()
    for (const text of all) for (const word of new Set(wordsOf(text))) counts.set(word, (counts.get(word) ?? 0) + 1)
    const isShared = (word: string): boolean => (counts.get(word) as number) * 2 > all.length
    const telling = texts.map((text) =>
      wordsOf(text)
        .map((word) => (isShared(word) ? '|' : word))
        .join(' ')
        .split(/(?: ?\| ?)+/)
        .filter(Boolean),
    )
    let keys: readonly string[] = []
    for (let runs = 1; runs <= mostRuns && new Set(keys).size < texts.length; runs++)
      keys = telling.map((own) => clip(own.slice(0, runs).join(' '), longestKey))
    return clip(`${tool}, ${texts.length} more: ${keys.join(', ')}`, Math.max(leastTogether, most))
  })
  return [...more, ...lines]
}

const wordsOf = (text: string): readonly string[] => text.split(/[\s"'{}:,|]+/)
