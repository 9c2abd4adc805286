import { CompactionError } from '../../errors.ts'
import type { Message } from '../../history/message.ts'
import { countField, textField } from '../../history/tool.ts'
import { safeSearch } from '../../privacy/safe-pattern.ts'
import { longestAnswer, pageOf, surroundingsOf } from '../../recall/paging.ts'
import { rankPassages } from '../../recall/search.ts'
import { cutBesideMarks } from '../../record/texts/quote.ts'
import { renderTranscript, renderWhole, speakerAt } from '../../summary/transcript.ts'
import { inSlices } from '../platform/slices.ts'

/** What `recall_history` answers. */
export async function recallHistory(messages: readonly Message[], input: unknown): Promise<string> {
  if (messages.length === 0) return 'Nothing of this conversation is on record yet.'
  const offset = countField(input, 'offset', 0, 0, messages.length)
  const column = countField(input, 'column', 0, 0, Number.MAX_SAFE_INTEGER)
  const limit = countField(input, 'limit', 20, 1, 100)
  const query = textField(input, 'query')
  if (query !== undefined) return search(messages, query, { offset, column, limit })
  const only = messages[offset]
  if (only === undefined) return `There are ${messages.length} messages; there is no message ${offset}.`
  return column > 0 ? wholePage(only, offset, column) : overview(messages, offset, limit)
}

/** One message from a column on. What stands before the first mark of a speaker goes on with who spoke at the end of the page before. */
function wholePage(message: Message, offset: number, column: number): string {
  const whole = wholeText(message, offset)
  const from = cutBesideMarks(whole, Math.min(whole.length, column - 1))
  const end = cutBesideMarks(whole, (pageOf(whole, from + 1, longestAnswer / 2).next ?? whole.length + 1) - 1)
  const text = whole.slice(from, end)
  if (end >= whole.length) return `${text}\n[end of message ${offset}]`
  return `${text}\n[${whole.length - end} more characters of message ${offset}; go on with offset ${offset}, column ${end + 1}]`
}

/** Messages in short; as many as an answer holds. */
function overview(messages: readonly Message[], offset: number, limit: number): string {
  const shown: string[] = []
  let [room, next, cut] = [longestAnswer, offset, false]
  for (const index of messages.slice(offset, offset + limit).map((_, at) => offset + at)) {
    const [text = ''] = renderTranscript(messages, [index])
    if (text.length > room && shown.length > 0) break
    const page = pageOf(text, 1, longestAnswer / 2)
    cut ||= page.next !== undefined || wholeText(messages[index] as Message, index).length > text.length + 200
    room -= page.text.length
    next = index + 1
    if (text !== '') shown.push(page.text)
  }
  const rest = next < messages.length ? `; go on with offset ${next}` : ''
  const how = cut ? ' long ones are cut: a message is shown whole with its number as offset and column 1;' : ''
  return [...shown, `[${how === '' ? '' : `${how.trim()} `}messages ${offset}–${next - 1} of ${messages.length}${rest}]`].join('\n')
}

interface From {
  readonly offset: number
  readonly column: number
  readonly limit: number
}

/** Places where the query stands as it is written; where it does not, those that its words fit best. */
async function search(messages: readonly Message[], query: string, from: From): Promise<string> {
  const nothing = `Nothing found in ${messages.length} messages.`
  try {
    return matches(messages, query, from) ?? (await byWords(messages, query, from)) ?? nothing
  } catch (error) {
    // A question may hold what a pattern may not.
    const found = CompactionError.isInstance(error) ? await byWords(messages, query, from) : undefined
    if (found === undefined) throw error
    return found
  }
}

/** Passages in which words of the query stand, best first. */
async function byWords(messages: readonly Message[], query: string, { offset, limit }: From): Promise<string | undefined> {
  const whole = messages.slice(offset).map((message, at) => ({ number: offset + at, segments: [{ author: '', text: wholeText(message, offset + at) }] }))
  const shown: string[] = []
  let room = longestAnswer / 2
  for (const { number, end } of (await inSlices(rankPassages(whole, query))).slice(0, limit)) {
    const whole = wholeText(messages[number] as Message, number)
    const lineStart = whole.lastIndexOf('\n', end - 1) + 1
    const place = surroundingsOf(whole.slice(lineStart), end - lineStart)
    room -= place.text.length
    if (room < 0) break
    shown.push(shownPlace(whole, lineStart, number, place))
  }
  return shown.length === 0 ? undefined : ['Nothing stands there word for word; the likeliest places first:', ...shown].join('\n')
}

/** A place of a line that begins at `lineStart`, under who speaks there. */
const shownPlace = (whole: string, lineStart: number, index: number, { column, text }: { readonly column: number; readonly text: string }): string =>
  `${speakerAt(whole, lineStart)}, offset ${index}, column ${lineStart + column}: ${text}`

/** Places that match, each in its surroundings; undefined when there are none. */
function matches(messages: readonly Message[], query: string, { offset, column, limit }: From): string | undefined {
  const find = safeSearch(query, { ignoreCase: true })
  const found: string[] = []
  let room = longestAnswer
  for (let index = offset; index < messages.length; index++) {
    const message = messages[index] as Message
    const whole = wholeText(message, index)
    const start = index === offset ? Math.max(0, column - 1) : 0
    for (let from = start; from < whole.length; ) {
      const lineEnd = whole.indexOf('\n', from) < 0 ? whole.length : whole.indexOf('\n', from)
      const lineStart = whole.lastIndexOf('\n', from - 1) + 1
      const line = whole.slice(lineStart, lineEnd)
      const end = find(line, from - lineStart)
      if (end < 0) {
        from = lineEnd + 1
        continue
      }
      const place = surroundingsOf(line, end)
      const text = shownPlace(whole, lineStart, index, place)
      room -= text.length
      if (found.length >= limit || room < 0) return [...found, `[more places; go on with offset ${index}, column ${from + 1}]`].join('\n')
      found.push(text)
      from = Math.max(from + 1, lineStart + place.end)
    }
  }
  return found.length === 0 ? undefined : found.join('\n')
}

const texts = new WeakMap<Message, { readonly index: number; readonly text: string }>()

/** All of a message as text, nothing cut. */
function wholeText(message: Message, index: number): string {
  const known = texts.get(message)
  if (known?.index === index) return known.text
  const text = renderWhole(message, index)
  texts.set(message, { index, text })
  return text
}
