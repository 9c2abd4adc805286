import type { Summary } from './summary.ts'

/** What a model answered, cleaned and cut into its sections. */
export interface ParsedSummary extends Pick<Summary, 'text' | 'retained' | 'sections' | 'missing'> {
  /** Headings that nobody asked for, of the level of those that were. */
  readonly extra?: readonly string[]
}

/**
 * Reads a model's answer: scratch work (`<analysis>`, `<think>`) is removed, the content of `<summary>` taken where there is one,
 * a fence around the whole removed. Headings match whatever their level, numbering and case.
 *
 * `retain`: a `<retain>` part was asked for and is set apart. Otherwise it is text like any other.
 */
export function parseSummary(raw: string, required: readonly string[], { retain = false }: { readonly retain?: boolean } = {}): ParsedSummary {
  // Whatever some reader takes for a line is one.
  const lines = raw.replace(/\r\n?|[\v\f\x85\u2028\u2029]/g, '\n')
  const spoken = withoutBlocks(lines, 'analysis', 'think', 'thinking', 'scratchpad')
  const [kept = '', ...after] = ((retain && behind('retain', spoken)) || '').split('</retain>')
  const retained = after.length > 0 && kept.trim()
  const rest = retain ? withoutBlocks(spoken, 'retain') : spoken
  const text = unfence((behind('summary', rest)?.replace(/^([\s\S]*)<\/summary>[\s\S]*/, '$1') ?? rest).trim())
  const sections: Record<string, string> = {}
  const extra: string[] = []
  let level = 0
  let title: string | undefined
  for (const line of text.split('\n')) {
    const [, marks = '', heading] = /^(#{1,6})\s+(.*?)\s*#*$/.exec(line) ?? []
    const known = heading === undefined ? undefined : required.find((section) => plain(heading).startsWith(plain(section)))
    if (known !== undefined) {
      title = known
      level = marks.length
      sections[title] ??= ''
    } else if (title !== undefined) {
      if (heading !== undefined && marks.length <= level) extra.push(heading)
      sections[title] = `${sections[title]}${sections[title] === '' ? '' : '\n'}${line}`.trimEnd()
    }
  }
  return {
    text,
    ...(retained && { retained }),
    sections,
    missing: required.filter((section) => sections[section] === undefined),
    ...(extra.length > 0 && { extra }),
  }
}

const plain = (heading: string): string => wordsOf(heading).replace(/^\d+ /, '').trim()

/** The words and numbers of a text, in small letters, a space for whatever else there is. */
export const wordsOf = (text: string): string => text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, ' ')

/** What stands behind a tag; undefined where there is none. */
const behind = (tag: string, text: string): string | undefined => new RegExp(`<${tag}>([\\s\\S]*)`).exec(text)?.[1]

function withoutBlocks(text: string, ...tags: readonly string[]): string {
  let result = text
  for (const tag of tags) {
    // An opened block that never closes is all the model wrote: nothing of it is a summary.
    const block = new RegExp(`<${tag}>[\\s\\S]*?(?:</${tag}>|$)`)
    while (block.test(result)) result = result.replace(block, '')
  }
  return result
}

function unfence(text: string): string {
  return text.replace(/^```[a-z]*\n([\s\S]*)\n```$/, '$1')
}
