import type { Declared, ModelReply, PromptEntry } from '@precis/testkit'
import { type Question, seedOf, type Turn } from './conversation.ts'

/** Who reads: one that looks up whatever it does not see as it holds now, or one that looks up only where it sees nothing of it. */
export type Reader = 'everything' | 'needed'

/** What a request shows of a fact: what holds now; only what held before; both, but what held before stands behind; nothing. */
type Sight = 'right' | 'stale' | 'order' | 'none'

const lookUp = 'precis_recall'

/** A message of the person as it is answered, and what became of it. */
export interface Answering {
  readonly model: (
    prompt: readonly PromptEntry[],
    declared: Declared,
  ) => ModelReply
  /** What its last request showed of what was asked. */
  seen(): Seen
  lookUps(): number
}

/** Answers one message: with its calls and its words, or, where it asks something, after one look-up at most, with a mark that says nothing. */
export function answering(
  { content, question, calls, reply }: Turn,
  reader: Reader,
): Answering {
  let seen: Seen = { sight: 'none' }
  let [rounds, lookUps] = [0, 0]
  return {
    seen: () => seen,
    lookUps: () => lookUps,
    model(prompt, { tools }) {
      if (question === undefined) {
        const made = calls[rounds++] ?? []
        return {
          text: made.length > 0 ? '' : reply,
          calls: made.map(({ id, tool, argument }) => ({
            id,
            tool,
            input: JSON.stringify({ [parameterOf(tool)]: argument }),
          })),
        }
      }
      seen = seenIn(prompt, question.fact)
      const isMissing =
        seen.sight === 'none' ||
        (seen.sight === 'stale' && reader === 'everything')
      if (!isMissing || lookUps > 0 || !tools.includes(lookUp))
        return { text: `Yes: ${mark(content)}.`, calls: [] }
      lookUps++
      const input = JSON.stringify({ query: content })
      const id = `look_${mark(content)}`
      return { text: '', calls: [{ id, tool: lookUp, input }] }
    },
  }
}

const mark = (content: string): string => seedOf(content, 0).toString(36)

export const parameterOf = (tool: string): string =>
  tool === 'search' ? 'query' : 'path'

/** What a request shows of one fact, and the passages that do. */
export interface Seen {
  readonly sight: Sight
  /** The last one that says what holds now, and the last one that says what held before. */
  readonly now?: string
  readonly before?: string
}

/** Reads a request from its beginning to its end, without the question: of what was said of one thing, the last holds. */
function seenIn(
  prompt: readonly PromptEntry[],
  { answer, stale = [] }: Question['fact'],
): Seen {
  const newest = prompt.findLastIndex(
    ({ role, isResult }) => role === 'user' && !isResult,
  )
  const passages = prompt.flatMap(({ text }, at) =>
    at === newest ? [] : passagesIn(text),
  )
  const lastOf = (sources: readonly string[]): number => {
    const patterns = sources.map((source) => new RegExp(source, 'i'))
    return passages.findLastIndex((passage) =>
      patterns.some((pattern) => pattern.test(passage)),
    )
  }
  const [atNow, atBefore] = [lastOf([answer]), lastOf(stale)]
  const [now, before] = [passages[atNow], passages[atBefore]]
  const isBehind = atBefore > atNow
  return {
    sight:
      now !== undefined
        ? isBehind
          ? 'order'
          : 'right'
        : before !== undefined
          ? 'stale'
          : 'none',
    ...(now !== undefined && { now }),
    ...(before !== undefined && { before }),
  }
}

/** Messages that one text quotes, each whole and as it was written: passages that came back, lines of a summary. */
const passagesIn = (text: string): readonly string[] =>
  text
    .split(/\n(?=\[message \d+|\[\d+\] |→ \[\d+\] )/)
    .map((passage) => passage.replace(/^> /gm, ''))
