import { type Message, textOf } from '../../history/message.ts'
import type { Pieces } from '../../history/pieces.ts'
import { betweenSentences } from '../texts/between-sentences.ts'
import { isSpoken } from '../texts/spoken.ts'

/** A piece of a message, word for word: a heading, a sentence, a list item. */
export interface Line {
  readonly text: string
  /** Which of the pieces of its message it is, and of which line; NaN where the pieces have no order. */
  readonly at: number
  readonly row: number
  /** An item of a list stands below it. */
  goesOn?: boolean
}

/** A piece that says something. */
interface Sentence {
  readonly text: string
  /** What is shown of it: headings, the line that introduces the list, the items above, the beginning of its own; itself; the first of what it announces. */
  readonly lines: readonly Line[]
}

/** One sentence or list item of the assistant that says something, with the message that holds it. */
export interface Statement extends Sentence {
  readonly index: number
  /** What it is worth beside others: more for outcomes, causes and choices, less with age; 0 or less for what is nothing but an answer. */
  readonly worth: number
  /** Of the last thing said before the next request, what came of it: the request's message, −1 where nobody asked. */
  readonly answers: number | undefined
  /** It says what was found, decided or done. */
  readonly concludes: boolean
  /** Of what answers a request, the one that says most. */
  readonly leads: boolean
}

/** A result, a cause, a choice, a rule, what was granted or refused, an amount: what later work builds on. */
const conclusive =
  /\b(?:because|caus(?:e|ed|es)|reasons?|therefore|thus|so (?:the|we|it|that)|means|turns out|found|fixed|the (?:fix|problem|issue|bug) (?:is|was)|decid(?:e|ed)|instead|rather than|will (?:use|keep|not)|recommend(?:ed)?|(?:should|must)(?:n't)?|need(?:s|ed)? to|confirm(?:s|ed)|verif(?:y|ied)|pass(?:es|ed)?|fail(?:s|ed|ing)?|doesn't|don't|can't|cannot|wrong|missing|broken|only|already|unfortunately|unable|not (?:able|possible|allowed|covered)|polic(?:y|ies)|eligible|issued|credited|refund(?:ed|able)?|\d+ (?:USD|EUR|euros?|dollars))\b|[$€£¥]\s?\d/i
/** What was done: where it is the last thing said, it is what came of the request. */
const accomplished = /\b(?:done|complete[ds]?|success\w*|committed|pushed|merged|cancell?ed|booked|changed|updated|removed|total)\b/i

/** What somebody is about to do says nothing that its call does not say. */
const narration =
  /^(?:(?:ok(?:ay)?|good|great|perfect|excellent|alright|right|now|next|first|then|so|and|also|finally|let's see)[,.!—: -]*)*(?:(?:let(?:'s| me| us)|i'll|i will|i'm going to|i (?:need to|should) (?:add|check|look|see|read|find|fix|update)|now i(?:'ll| need| can| have)|we'll|going to|looking at|checking|reading)\b|(?<=\b(?:now|next|first|then|also|finally)[,: -]+)(?!all|both|it)[a-z]+ (?:an?|the|this|these|those)\b)/i
const worthOfPlan = 0.04

/** Words that English has in nearly every sentence, characters from one to the next, at most, those by which fewer tell, and those that are read. In other languages a place says what words say in English. */
const english = /\b(?:and|is|now|of|the|to)\b/i
const mostBetween = 500
const mostUnsure = 400
const mostRead = 20_000

/** What was asked of the user, whose answer stands below it. */
const asks = /[?？؟]["')*_]*$|\b(?:please (?!note)|let me know)/i

/** A name or a number. */
const names = /[`\d]|\w[._/]\w/

/** Fewer characters say too little, more are a paragraph that nobody split. */
const shortest = 24
const longest = 600
/** Up to so many it says something only with a name, a number or what makes it a statement. */
const short = 36

/**
 * The statements of a span, oldest first: sentences and list items outside code, that are no narration.
 *
 * @param indices Messages to look at, ascending.
 */
export function* statementsOf(messages: readonly Message[], indices: readonly number[]): Pieces<readonly Statement[]> {
  const found: Statement[] = []
  const outcomes = outcomesOf(messages)
  const said = messages
    .flatMap((message) => (message.role === 'assistant' ? textOf(message) : []))
    .join()
    .slice(0, mostRead)
  const isForeign = said.split(english).length * mostBetween < widthOf(said) + mostUnsure
  for (const [at, index] of indices.entries()) {
    if (at % 8 === 0) yield
    const message = messages[index] as Message
    if (message.role !== 'assistant' || message.summary) continue
    const answers = outcomes.get(index)
    const outcome = answers !== undefined
    const recency = 0.6 + 0.4 * (at / Math.max(1, indices.length))
    const isAnswer = outcome && answers >= 0
    const reply = messages[index + 1]
    // A reply of a few words says nothing without what was asked.
    const isBriefly = reply !== undefined && isSpoken(reply) && isBrief(textOf(reply)) && !asks.test(textOf(reply))
    const own: Statement[] = []
    let most = 0
    let lead: { leads: boolean } | undefined
    const sentences = sentencesOf(textOf(message), isAnswer ? 1 : shortest)
    const goesOn = message.parts.at(-1)?.type === 'tool-call'
    for (const [nth, { text, lines }] of sentences.entries()) {
      // Without words that tell them apart: what opens a line concludes, what stands right before a call is a plan, unless it is all that is said.
      const isLast = goesOn && sentences[nth + 1] === undefined
      const isPlan = narration.test(text) || (isForeign && isLast && nth > 0)
      const says = conclusive.test(text) || (isForeign && !isLast && lines.at(-1)?.row !== sentences[nth - 1]?.lines.at(-1)?.row)
      const concludes = !isPlan && (asks.test(text) ? isBriefly : says || (outcome && (isForeign || accomplished.test(text))))
      const isLeast = isBrief(text) || (isPlan ? !says : !concludes && !names.test(text) && (asks.test(text) || widthOf(text) < short))
      if (isLeast && !isAnswer) continue
      const worth = isPlan
        ? worthOfPlan
        : (outcome ? 1 : 0.5) * (isBrief(text) ? 0.4 : 1) * (concludes && (says || !isForeign) ? 1 : announces.test(text) ? 0.1 : 0.35)
      const one = { text, lines, index, answers, concludes, worth: isLeast ? recency / (names.test(text) ? 1 : 2) - 1 : recency * worth, leads: false }
      if (isAnswer && worth > most) [lead, most] = [one, worth]
      own.push(one)
    }
    if (lead) lead.leads = true
    found.push(...own.filter(({ worth, leads }) => leads || worth > 0))
  }
  return found
}

/** The last text that the assistant says before each request of the user, and before the end, with the request that it answers; −1 where nobody asked, or where it goes on: a call stands behind it. */
function outcomesOf(messages: readonly Message[]): ReadonlyMap<number, number> {
  const outcomes = new Map<number, number>()
  let request = -1
  let spoken = -1
  let goesOn = false
  const end = (): void => {
    if (spoken >= 0) outcomes.set(spoken, goesOn ? -1 : request)
    spoken = -1
  }
  messages.forEach((message, index) => {
    if (isSpoken(message)) {
      end()
      request = index
    }
    if (message.role !== 'assistant') return
    const calls = message.parts.some(({ type }) => type === 'tool-call')
    // A few words are an answer where there is no other.
    const least = calls || (spoken >= 0 && !goesOn) ? shortest : 1
    if (widthOf(textOf(message).trim()) >= least) [spoken, goesOn] = [index, false]
    goesOn ||= calls
  })
  end()
  return outcomes
}

/** Sentences and lines of prose, as they stand. Code between fences is none, but a few lines of it belong to the line that announces them. A line that announces more is shown with the first of it. */
export function sentencesOf(text: string, least: number = shortest): readonly Sentence[] {
  const found: (Line & { text: string; readonly under: readonly Line[]; readonly isHeading: boolean })[] = []
  let above: { readonly rank: number; readonly line: Line }[] = []
  let code: string[] | undefined
  let leftOut = 0
  for (const [row, line] of text.split('\n').entries()) {
    if (/^\s*(?:```|~~~)/.test(line)) {
      const last = found.at(-1)
      if (code && code.length <= mostCode && last !== undefined && announces.test(last.text)) last.text = [last.text, ...code].join('\n')
      else if (code) leftOut++
      code = code ? undefined : []
      continue
    }
    code?.push(line)
    if (code || !/[\p{L}\p{N}]/u.test(line)) continue
    const [marks = ''] = /^#{1,6} /.exec(line) ?? []
    const isHeading = marks !== ''
    const isItem = item.test(line)
    const margin = line.search(/\S/)
    // Headings rank above bold lines, those above paragraphs, and those above lists; what is indented belongs to the item above.
    const rank = isHeading
      ? marks.length - 10
      : isItem
        ? margin
        : bold.test(line)
          ? -2
          : above.some((one) => one.rank >= 0 && one.rank < margin)
            ? margin - 0.5
            : -1
    above = above.filter((one) => one.rank < rank)
    const under = above.map((one) => one.line).slice(-mostAbove)
    const at = found.length + leftOut
    for (const [nth, one] of line
      .slice(marks.length)
      .trim()
      .split(isHeading ? /$^/ : betweenSentences)
      .entries()) {
      const piece = { text: one.trim(), at: at + nth, row, under: nth > 0 && isItem ? above.map(({ line: own }) => own) : under, isHeading }
      const last = found.at(-1)
      if (last !== undefined) last.goesOn = isItem && nth === 0 && item.test(last.text)
      found.push(piece)
      if (announces.test(one) || (nth === 0 && (isHeading || isItem || rank === -2))) above.push({ rank: rank + nth / 1_000, line: piece })
    }
  }
  return found.flatMap((line, nth) => {
    const { text: said, under, isHeading } = line
    if (isHeading || widthOf(said) < least || said.length > longest) return []
    const isHead = announces.test(said)
    const next = isHead ? found[nth + 1] : undefined
    if (next?.at === line.at + 1 && !next.isHeading && !announces.test(next.text)) return { text: said, lines: [...under, line, next] }
    const before = found[nth - 1]
    const both = `${before?.text}\n${said}`
    if (
      before?.row === line.row &&
      both.length <= longest &&
      pointsBack.test(said) &&
      !isBrief(before.text) &&
      !narration.test(both) &&
      !asks.test(before.text)
    )
      return { text: both, lines: [...under, before, line] }
    // A head with nothing behind it says something only with a name.
    return isHead && !names.test(said) ? [] : { text: said, lines: [...under, line] }
  })
}

/** A sentence that says something of the one before. */
const pointsBack = /^(?:th(?:at|is|ese|ey)|it|s?he)\b/i

/** It says too little without what stands beside it. */
function isBrief(text: string): boolean {
  return widthOf(text) < shortest
}

/** Characters as letters of an alphabet: a sign of Chinese, Japanese or Korean says as much as three. */
function widthOf(text: string): number {
  return text.replace(/[\u2e80-\uffef]/g, '$&$&$&').length
}

/** A list item or a row of a table, a line that is a heading by its letters, and one that announces what follows. */
const item = /^\s*(?:[-*+•|]|\d{1,3}[.)])\s/
const bold = /^\*\*[^*]+[^*.!?]\*\*$/
const announces = /[:：][*_]*$/

/** Lines of code that belong to the line above, and lines above that are shown. */
const mostCode = 3
const mostAbove = 3
