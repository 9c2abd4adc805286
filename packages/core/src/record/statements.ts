import type { Message } from '../history/message.ts'
import type { Pieces } from '../history/pieces.ts'
import { isSpoken } from './spoken.ts'

/** One sentence or list item: word for word. */
interface Sentence {
  readonly text: string
  /** What a list item stands under: the line that introduces the list, or the item above. */
  readonly under: string | undefined
}

/** One sentence or list item of the assistant that says something, with the message that holds it. */
export interface Statement extends Sentence {
  readonly index: number
  /** What it is worth beside others: more for outcomes, causes and choices, less with age. > 0. */
  readonly worth: number
  /** Of the last thing said before the next request, what came of it: the request's message, −1 where nobody asked. */
  readonly answers: number | undefined
  /** It says what was found, decided or done. */
  readonly concludes: boolean
}

/** A result, a cause, a choice, a rule: what later work builds on. */
const conclusive =
  /\b(?:because|caus(?:e|ed|es)|reasons?|therefore|thus|so (?:the|we|it|that)|means?|turns out|found|fix(?:ed|es)?|problems?|issues?|bugs?|decid(?:e|ed)|instead|rather than|will (?:use|keep|not)|recommend(?:ed)?|should(?:n't)?|must(?:n't)?|need(?:s|ed)? to|confirm(?:s|ed)?|verif(?:y|ied)|pass(?:es|ed)?|fail(?:s|ed|ing)?|doesn't|don't|can't|cannot|works?|only|already|never|always|matches|correct|wrong|missing|broken)\b/i

/** What was done: where it is the last thing said, it is what came of the request. In other scripts and with letters that English lacks, what has a number. */
const accomplished =
  /\b(?:done|complete[ds]?|success(?:ful(?:ly)?)?|committed|pushed|merged|cancell?ed|refund(?:ed|s)?|booked|changed|updated|removed|total)\b|[À-῿⺀-퟿].*\d|\d.*[À-῿⺀-퟿]/i

/** What somebody is about to do says nothing that its call does not say. */
const narration =
  /^(?:(?:ok(?:ay)?|good|great|perfect|excellent|alright|right|now|next|first|then|so|and|also|finally|let's see)[,.!: -]*)*(?:(?:(?:let(?:'s| me| us)|i'll|i will|i'm going to|i need to (?:add|check|look|see|read|find|fix|update)|i should (?:check|look|see|read)|now i(?:'ll| need| can| have)|we'll|going to|looking at|checking|reading)\b|(?<=\b(?:now|next|first|then|also|finally)[,: -]+)(?:add|apply|build|change|check|clean|commit|create|delete|do|edit|extract|find|fix|format|handle|implement|install|look|make|move|read|refactor|remove|rename|replace|rerun|resolve|run|search|see|start|test|update|use|verify|wire|write)\b))/i

/** A reason, which makes a plan worth more, and what each is worth. */
const reasoned = /\b(?:because|since|so (?:that|the|we|it)|instead|rather than|due to|caus(?:e|ed|es)|reasons?|turns out|otherwise|without)\b/i
const worthOfReason = 0.12
const worthOfPlan = 0.04

/** Fewer characters say too little, more are a paragraph that nobody split. */
const shortest = 24
const longest = 600

/**
 * The statements of a span, oldest first: sentences and list items outside code, that are no narration.
 *
 * @param indices Messages to look at, ascending.
 */
export function* statementsOf(messages: readonly Message[], indices: readonly number[]): Pieces<readonly Statement[]> {
  const found: Statement[] = []
  const outcomes = outcomesOf(messages)
  for (const [at, index] of indices.entries()) {
    yield
    const message = messages[index] as Message
    if (message.role !== 'assistant' || message.summary !== undefined) continue
    const answers = outcomes.get(index)
    const outcome = answers !== undefined
    const recency = 0.6 + 0.4 * (at / Math.max(1, indices.length))
    for (const part of message.parts) {
      if (part.type !== 'text') continue
      for (const { text, under } of sentencesOf(part.text)) {
        const narrates = narration.test(text)
        const says = conclusive.test(text) || (outcome && accomplished.test(text))
        if (narrates && !says) continue
        const concludes = says && !narrates
        const worth = narrates ? (reasoned.test(text) ? worthOfReason : worthOfPlan) : (outcome ? 1 : 0.5) * (concludes ? 1 : text.endsWith(':') ? 0.1 : 0.35)
        found.push({ index, text, under, answers, concludes, worth: recency * worth })
      }
    }
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
      return
    }
    if (message.role !== 'assistant') return
    if (message.parts.some((part) => part.type === 'text' && widthOf(part.text.trim()) >= shortest)) [spoken, goesOn] = [index, false]
    goesOn ||= message.parts.some(({ type }) => type === 'tool-call')
  })
  end()
  return outcomes
}

/** Sentences and lines of prose, as they stand. Code between fences is none. */
export function sentencesOf(text: string): readonly Sentence[] {
  const found: Sentence[] = []
  let above: { readonly indent: number; readonly text: string }[] = []
  let fenced = false
  for (const line of text.split('\n')) {
    if (/^\s*(?:```|~~~)/.test(line)) {
      fenced = !fenced
      continue
    }
    if (fenced || line.trim() === '') continue
    const sentences = line
      .trim()
      .split(/(?<=[.!?])(?<!^[*_]*\d{1,3}\.)\s+|(?<=[。！？।])\s*/)
      .map((sentence) => sentence.trim())
    const last = sentences.at(-1) as string
    const indent = item.test(line) ? line.search(/\S/) : -1
    above = above.filter((one) => one.indent < indent)
    const under = above.at(-1)?.text
    if (indent >= 0 || introduces.test(last)) above.push({ indent, text: last.replace(/^#+ /, '') })
    for (const sentence of sentences) {
      if (widthOf(sentence) >= shortest && sentence.length <= longest && !/^#{1,6} /.test(sentence)) found.push({ text: sentence, under })
    }
  }
  return found
}

/** Characters as letters of an alphabet: a sign of Chinese, Japanese or Korean says as much as three. */
function widthOf(text: string): number {
  return text.replace(/[\u2e80-\uffef]/g, '$&$&$&').length
}

/** A list item, and a line that introduces a list. */
const item = /^\s*(?:[-*+•]|\d{1,3}[.)])\s/
const introduces = /^#{1,6} |:[*_]*$|^\*\*.*\*\*$/
