import { isUserRequest, type Message, partText, textOf } from '../history/message.ts'
import { nameWorth, scanTerms } from '../record/names.ts'

/** Everything a summary may refer to: what was said, called and returned, as names and as text. */
export interface Source {
  readonly names: ReadonlySet<string>
  readonly text: string
  /** What users said themselves: nothing else may be told as theirs. Absent: unknown, and not looked at. */
  readonly said?: string
}

/** What a summary says without its source: the claims, and the text with each of them marked. */
export interface Grounding {
  /** What the source does not contain, as the summary says it. */
  readonly unsupported: readonly string[]
  /** The summary with a mark behind the first place of each. */
  readonly marked: string
}

const mark = ' [unverified]'
/** Names worth checking: paths and identifiers, not words and small numbers. */
const leastWorth = 1
const success = /\b(?:tests?|checks?|builds?|suites?|lint|typecheck)\b[^.\n]{0,40}\b(?:pass(?:es|ed|ing)?|succeed(?:s|ed)?|are green|is green)\b/gi
const evidence =
  /\b\d+ (?:tests? )?pass|\bpassed\b|\btests? pass|\b0 fail|\ball green\b|\bexit(?:ed)?(?: with)?(?: code)?[ :]*0\b|\bsuccess|\bok\b|\bno errors?\b/i

/** Words told as the user's own, and what the user is told to have allowed. */
const told = /^[^\p{L}\n]*(?:the +)?(?:user|human|customer) *[*_]{0,2}[:：][^\n]*\p{L}[^\n]*/gimu
const people = '(?:user|human|customer|owner|operator)'
const granted = '(?:approv|authori[sz]|permi[ts]|allow|agree|consent|confirm|grant|go-ahead|sign(?:s|ed)? off)'
const leave = new RegExp(`\\b${people}s?\\b.{0,80}\\b${granted}|\\b${granted}\\w*\\b.{0,40}\\b(?:by|from|of) (?:the )?${people}`, 'i')
/** Words (their first five letters) that say who gave leave, not to what. */
const ofLeave =
  /^(?:users?$|human|custo|owner|opera|appro|autho|permi|allow|agree|conse|confi|grant|signe|that$|this$|with$|from$|have$|been$|they$|expli|clear)/
const assent = /\b(?:yes|ok(?:ay)?|approved?|go ahead|sure|confirm(?:ed)?|lgtm|fine)\b/

/**
 * Everything that the messages at `indices` say, and the names in it: what a summary of them may speak of.
 *
 * @param more Texts that were known before, such as the previous summary.
 */
export function sourceOf(messages: readonly Message[], indices: readonly number[], more: readonly string[] = []): Source {
  const texts = [...more]
  for (const index of indices) {
    for (const part of messages[index]?.parts ?? []) {
      if (part.type === 'reasoning') texts.push(part.text)
      else if (part.type === 'media') texts.push(part.name ?? '')
      else texts.push(part.type === 'tool-call' ? `${part.tool}\n${part.input}` : partText(part))
    }
  }
  const text = texts.join('\n')
  const names = new Set<string>()
  scanTerms(text, (name) => names.add(name))
  const said = indices.flatMap((index) => messages[index] ?? []).filter(isUserRequest)
  return { names, text, said: said.map(textOf).join('\n') }
}

/**
 * Looks for what a summary claims and its source does not contain: paths and identifiers, quotations of three words or more, and
 * statements that tests or builds pass where nothing in the source says that anything passed; words and leave of the user that no message of the user holds. Says nothing about what is claimed in other words.
 */
export function groundSummary(summary: string, source: Source): Grounding {
  const unsupported = new Set<string>()
  scanTerms(summary, (name) => {
    if (nameWorth(name) >= leastWorth && !source.names.has(name) && !source.text.includes(name)) unsupported.add(name)
  })
  const plain = flat(source.text)
  for (const quote of summary.matchAll(/["“]([^"“”\n]{8,300})["”]/g)) {
    const said = quote[1] as string
    if (said.trim().split(/\s+/).length >= 3 && !plain.includes(flat(said))) unsupported.add(quote[0])
  }
  if (!evidence.test(source.text)) for (const claim of summary.matchAll(success)) unsupported.add(claim[0])
  for (const claim of putIntoMouths(summary, source.said)) unsupported.add(claim)
  let marked = summary
  for (const claim of unsupported) {
    const end = marked.indexOf(claim) + claim.length
    if (end >= claim.length && !marked.startsWith(mark, end)) marked = marked.slice(0, end) + mark + marked.slice(end)
  }
  return { unsupported: [...unsupported], marked }
}

/** What is told as the user's words and is not among them, and leave that no words of the user speak of: three quarters of what it is about must be. */
function putIntoMouths(summary: string, words: string | undefined): readonly string[] {
  if (words === undefined) return []
  const said = flat(words)
  const invented = [...summary.matchAll(told)].map(([line]) => line).filter((line) => !said.includes(bare(line.slice(line.search(/[:：]/) + 1))))
  const allowed = summary.split(/[.\n]/).filter((claim) => {
    if (!leave.test(claim)) return false
    const about = (flat(claim).match(/[\p{L}\p{N}]{4,}/gu) ?? []).map((word) => word.slice(0, 5)).filter((word) => !ofLeave.test(word))
    return about.length === 0 ? !assent.test(said) : about.filter((word) => said.includes(word)).length < about.length * 0.75
  })
  return [...invented, ...allowed].map((claim) => claim.trim())
}

function bare(text: string): string {
  return flat(text).replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, '')
}

function flat(text: string): string {
  return text.replace(/\s+/g, ' ').trim().toLowerCase()
}
