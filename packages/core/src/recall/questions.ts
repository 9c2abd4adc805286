import type { Message } from '../history/message.ts'
import { betweenSentences } from '../record/texts/between-sentences.ts'

/** Characters of what a user says that are read, half of them at its beginning, and of its questions the longest and how many. */
const mostRead = 2_000
const longestQuestion = 300
const mostQuestions = 2

/** Whether a user asks something at the end of a history: where not, nothing has to be searched. */
export function asksAnything(history: readonly Message[]): boolean {
  return questionsIn(newestWords(history, new Set())).length > 0
}

/** What a user says at the end of a history, in one message or in several. */
export function newestWords(history: readonly Message[], left: ReadonlySet<number>): string {
  const from =
    history.findLastIndex(({ role, summary }, number) => role !== 'user' || summary !== undefined || (left.has(number) && number < history.length - 1)) + 1
  const newest = history.slice(Math.max(from, history.length - mostMessages))
  return newest.flatMap(({ parts }) => parts.map((part) => (part.type === 'text' ? part.text : ''))).join('\n')
}

/** Messages of a user, one behind another, that are one thing to say. */
const mostMessages = 3

/** The last questions of a text, the last one first. */
export function questionsIn(said: string): readonly string[] {
  const text = said.length <= mostRead ? said : `${said.slice(0, mostRead / 2)}\n${said.slice(-mostRead / 2)}`
  return splitSentences(text)
    .map((sentence) => sentence.trim())
    .filter((sentence) => sentence.length <= longestQuestion && asks(sentence))
    .slice(-mostQuestions)
    .reverse()
}

/** Behind a word; what ends in other marks is code. */
export const isQuestion = (sentence: string): boolean => /[\p{L}\p{M}\p{N}"'”’»)\]] ?[?？؟][!?？؟"'”’»)\]\s\p{Extended_Pictographic}:]*$/u.test(sentence)

/** How questions end in Japanese, Chinese and Korean, which need no mark. */
const asksAtEnd = new RegExp(
  [
    '(?:です|ます|でした|ました|ません|でしょう|[るたいの])か[。.]?$',
    '[吗嗎][。.]?$|(?:呢|什么|什麼|多少|哪里|哪裡|哪儿|谁|誰)$',
    String.raw`(?:[입습합됩]니까|까요|[있없었았하되]나요|[인은는던]가요|(?:뭐|어디|언제|누구|얼마)\p{L}{0,4})[.]?$`,
  ].join('|'),
  'u',
)

/** Politely asked to do something, which states what is wanted. */
const isRequest = (sentence: string): boolean =>
  /^(?:(?:and|but|or|so|ok(?:ay)?|please|hi|hey|und|et|y)[ ,]+)?(?:(?:can|could|would|will) (?:you|we)|(?:kannst|könntest) du|können (?:sie|wir)|könnten (?:sie|wir)|tu peux|(?:peux|pourrais)[- ]tu|vous pouvez|(?:pouvez|pourriez)[- ]vous|¿?(?:puedes|podrías|puede|podría))(?!\p{L})/iu.test(
    sentence,
  ) &&
  !/(?<!\p{L})(?:what|which|who|where|when|why|how|tell|say|explain|remind|show|find|check|see|look|was|welche\p{L}*|wer|wo|wann|warum|wie|sag\p{L}*|zeig\p{L}*|prüf\p{L}*|check\p{L}*|quels?|quelles?|qui|où|quand|pourquoi|comment|combien|dis|dire|vérifi\p{L}*|qué|cuál|quién|dónde|cuándo|cómo|cuánto|dec\p{L}*|dim\p{L}*|mir\p{L}*)(?!\p{L})/iu.test(
    sentence,
  )

/** Many leave out the mark; who sets another one states something. */
export const asks = (sentence: string): boolean =>
  (isQuestion(sentence) && !isRequest(sentence)) ||
  asksAtEnd.test(sentence) ||
  /^(?:and |so |but )?(?:what|which|who|whose|where|why|how)\b(?! (?:about|not|an?)\b).*(?<![.!])$/i.test(sentence)

/** What somebody says, less what they ask. */
export const withoutQuestions = (text: string): string =>
  splitSentences(text)
    .filter((sentence) => !asks(sentence.trim()))
    .join(' ')

/** A text sentence by sentence, and line by line: together they are the text, less the white space between them. */
export const splitSentences = (text: string): readonly string[] => text.split(betweenSentences)
