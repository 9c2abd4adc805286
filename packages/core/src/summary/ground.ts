import { isUserRequest, type Message, partText, textOf } from '../history/message.ts'
import { nameWorth, scanTerms } from '../record/names/names.ts'

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
export const leastWorth = 1
const success = /\b(?:tests?|checks?|builds?|suites?|lint|typecheck)\b[^.\n]{0,40}\b(?:pass(?:es|ed|ing)?|succeed(?:s|ed)?|are green|is green)\b/gi
const evidence =
  /\b\d+ (?:tests? )?pass|\bpassed\b|\btests? pass|\b0 fail|\ball green\b|\bexit(?:ed)?(?: with)?(?: code)?[ :]*0\b|\bsuccess|\bok\b|\bno errors?\b/i

/** From mark to mark, in order: what stands between two quotations is none. */
const quote = "(?!['‘’])\\p{QMark}"
const quotation = new RegExp(`${quote}(.{0,300}?)${quote}`, 'gu')
/** Three words, or twelve characters of Chinese or Japanese: less may be anybody's. */
const telling = /..\s\S+\s+\S..|(?:[\u3040-\u9fff][^\u3040-\u9fff]*){12}/

/** Words told as the user's own, and what the user is told to have allowed. */
const told = /^[^\p{L}\n]*(?:the +)?(?:user|human|customer) *[*_]{0,2}[:：][^\n]*\p{L}[^\n]*/gimu
/** Whoever is no user in English is caught. */
const people = '(?:(?:user|human|customer|owner|operator)s?\\b|((?:be)?nutzer|kunde|usu[aá]ri|utilisat[er]|utente|cliente))'
const granted = '(?:app?ro[buv]|auth?ori[sz]|permi[ts]|allow|agree|consent|confirm|grant|go-ahead|sign(?:s|ed)? off|genehm|erlaubt|zugestimmt)'
const leave = new RegExp(`\\b${people}.{0,80}\\b${granted}|\\b${granted}\\w*\\b.{0,40}\\b(?:by|from|of) (?:the )?${people}`, 'i')
/** Words that say who gave leave, not to what. */
const ofLeave = new RegExp(`^(?:${people}|${granted}|signed|(?:that|this|with|from|have|been|they)$|expli|clear)`)
const assent = /\b(?:yes|ok(?:ay)?|approved?|go ahead|sure|confirm(?:ed)?|lgtm|fine)\b/
/** One in a hundred characters at least of what is said in English. */
const ofEnglish = /\b(?:the|to|and|of|is|you|please|yes)\b/

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
 * Looks for what a summary claims and its source does not contain: paths and identifiers, quotations of three words or more, or of twelve characters of Chinese or
 * Japanese, and statements that tests or builds pass where nothing in the source says that anything passed; words and leave of the user that no message of the user
 * holds. Says nothing about what is claimed in other words.
 */
export function groundSummary(summary: string, source: Source): Grounding {
  const unsupported = new Set<string>()
  scanTerms(summary, (name) => {
    if (nameWorth(name) >= leastWorth && !source.names.has(name) && !source.text.includes(name)) unsupported.add(name)
  })
  const plain = flat(source.text)
  for (const [quoted, said = ''] of summary.matchAll(quotation)) if (telling.test(said) && !plain.includes(flat(said))) unsupported.add(quoted)
  if (!evidence.test(source.text)) for (const claim of summary.matchAll(success)) unsupported.add(claim[0])
  for (const claim of putIntoMouths(summary, source.said)) unsupported.add(claim)
  let marked = summary
  for (const claim of unsupported) {
    const end = marked.indexOf(claim) + claim.length
    if (end >= claim.length && !marked.startsWith(mark, end)) marked = marked.slice(0, end) + mark + marked.slice(end)
  }
  return { unsupported: [...unsupported], marked }
}

/**
 * What is told as the user's words and is not among them, and leave that no words of the user speak of: three quarters of what it is about must be; in another
 * language than English, some word. Where the summary and the user do not both speak English, or neither of them, words cannot be compared, and numbers tell.
 */
function putIntoMouths(summary: string, heard: string | undefined): readonly string[] {
  if (heard === undefined) return []
  const said = flat(heard)
  const inEnglish = (said.split(ofEnglish).length - 1) * 100 >= said.length
  const invented = [...summary.matchAll(told)].map(([line]) => line).filter((line) => !said.includes(bare(line.slice(line.search(/[:：]/) + 1))))
  const allowed = summary.split(/[.\n]/).filter((claim) => {
    const text = flat(claim)
    const [gave, by] = leave.exec(text) ?? []
    if (gave === undefined) return false
    const isEnglish = by === undefined
    if (isEnglish !== inEnglish) return text.match(/\d+/g)?.some((number) => !said.includes(number))
    const about = (text.match(/[\p{L}\p{N}]{4,}/gu) ?? []).filter((word) => !ofLeave.test(word))
    const missing = about.filter((word) => !said.includes(word.slice(0, 5))).length
    return about.length === 0 ? isEnglish && !assent.test(said) : missing > about.length * (isEnglish ? 0.25 : 0.9)
  })
  return [...invented, ...allowed].map((claim) => claim.trim())
}

function bare(text: string): string {
  return flat(text).replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, '')
}

function flat(text: string): string {
  return text.replace(/\s+/g, ' ').trim().toLowerCase()
}
