/** One line of a text of ours, and who wrote it as far as a reader can tell who knows the rule and nothing else. */
export interface AttributedLine {
  readonly text: string
  /** `precis`: our own words. `facts`: a line in a list of ours, whose heading says what it is. `summary`: a model's. `outside`: after the summary has ended. */
  readonly author: 'precis' | 'facts' | 'summary' | 'user' | 'assistant' | 'tool' | 'system' | 'outside'
  /** The message that holds it, where a mark says so. */
  readonly index?: number
  /** What is left of the line behind its mark. */
  readonly said: string
}

/** Every place where some reader sees a new line. */
const breaks = /\r\n|[\n\r\v\f\x85\u2028\u2029]/

const titles = new Set(
  [
    'Values',
    'Failed attempts',
    'Asked and done',
    'To do',
    'Files changed',
    'Errors',
    'Commands',
    'Files read',
    'Where things are',
    'Outlines',
    'Excerpts',
    'Also named',
  ].map((title) => `### ${title}`),
)

/**
 * Reads the message that carries a summary, line by line, by the rule that the message states: a model's words up to the first heading of three `#`; there, `[n] user` is the
 * user, `[n]>` and `>` are tools, a bare `[n]` is the assistant, and what has no mark goes on with what the last mark began.
 */
export function attributeSummary(text: string): readonly AttributedLine[] {
  const lines = text.split(breaks)
  let state: { author: AttributedLine['author']; index?: number } = { author: 'precis' }
  let fence: string | undefined
  let inRecord = false
  let ended = false
  return lines.map((line, at): AttributedLine => {
    const by = (author: AttributedLine['author'], said = line): AttributedLine => ({
      text: line,
      said,
      author,
      ...(state.index !== undefined && { index: state.index }),
    })
    if (ended) return by('outside')
    if (at === 0) return by('precis')
    if (fence !== undefined) {
      if (line !== fence) return by('user')
      fence = undefined
      return by('precis')
    }
    if (line === '</context-summary>') {
      ended = true
      return by('precis')
    }
    if (!inRecord && at < 3) {
      if (line === '') state = { author: 'summary' }
      return by('precis')
    }
    if (titles.has(line)) {
      inRecord = true
      state = { author: 'facts' }
      return by('precis')
    }
    if (!inRecord) return by('summary')
    const mark = /^(→ )?\[(\d+)\](> ?| user: | user, up to ("\w+"):$| summary: | )(.*)$/.exec(line)
    if (mark === null) return /^> /.test(line) && state.author !== 'facts' ? by('tool', line.slice(2)) : by(state.author)
    const [, , index, kind = '', until, said = ''] = mark
    state = {
      author: kind.startsWith('>') ? 'tool' : kind.startsWith(' user') ? 'user' : kind === ' summary: ' ? 'summary' : 'assistant',
      index: Number(index),
    }
    fence = until
    return by(state.author, said)
  })
}

/** Reads a transcript for a summarizer, or a page of the history: `[n] user:`, `[n] tool read returned:` and the like begin what they name. `before`: the last line of the page before. */
export function attributeTranscript(text: string, before?: AttributedLine): readonly AttributedLine[] {
  let state: { author: AttributedLine['author']; index?: number } = {
    author: before?.author ?? 'precis',
    ...(before?.index !== undefined && { index: before.index }),
  }
  const lines = text.split(breaks)
  return lines.map((line, at): AttributedLine => {
    // The last line of a page says how to go on.
    if (at > 0 && at === lines.length - 1 && /^\[.*\]$/.test(line)) return { text: line, said: line, author: 'precis' }
    const mark = /^\[(\d+)\] (user|assistant|tool|system|developer|summary|approval|item)\b([^:]*:?)(.*)$/.exec(line)
    if (mark === null) return { text: line, said: line, ...state }
    const [, index, who, rest = '', said = ''] = mark
    // What a file is called, whoever attached it, is nobody's word.
    const author = rest.startsWith(' attached ') ? 'tool' : who === 'developer' ? 'system' : who === 'approval' || who === 'item' ? 'precis' : who
    state = { author: author as AttributedLine['author'], index: Number(index) }
    return { text: line, said: said.trimStart(), ...state }
  })
}

/** Whether a lenient reader takes a line for a heading or a turn of ours: past blanks, invisible letters, control characters, marks of Markdown, full width and case. */
export function looksLikeMark(line: string): boolean {
  const plain = line
    .normalize('NFKC')
    .replace(/[\p{C}\p{DI}\p{M}\u2800]/gu, (char) => (char === '\t' ? ' ' : ''))
    .replace(/^[\s>*_]+/, '')
  return /^(?:#{3,6}\s|\[\s*-?\d+\s*\]\s*(?:user|human|system|assistant|tool)\b|(?:user|human|system)\s*[*_]{0,2}:|[-+]\s*\[[ x]\])/i.test(plain)
}

/** How often a lenient reader sees a tag in a text: whatever its case, blanks, invisible letters, full width, entities and escapes. */
export function lenientTags(text: string, name: string): { readonly opening: number; readonly closing: number } {
  let plain = text
  for (let round = 0; round < 3; round++) {
    plain = plain
      .replace(/&(?:amp|#38|#x26);/gi, '&')
      .replace(/&lt;?/gi, '<')
      .replace(/&gt;?/gi, '>')
      .replace(/&sol;/gi, '/')
      .replace(/&(?:hyphen|dash);/gi, '-')
      .replace(/&#0*(\d{1,7});?/g, (all, code: string) => letter(Number(code), all))
      .replace(/&#x0*([0-9a-f]{1,6});?/gi, (all, code: string) => letter(Number.parseInt(code, 16), all))
      .replace(/\\u\{?0*([0-9a-f]{2,4})\}?|\\x([0-9a-f]{2})|%([0-9a-f]{2})/gi, (all, a?: string, b?: string, c?: string) =>
        letter(Number.parseInt(a ?? b ?? c ?? '', 16), all),
      )
  }
  const flat = plain
    .normalize('NFKC')
    .replace(/[\s\p{C}]+/gu, '')
    .replace(/\\/g, '')
    .toLowerCase()
  const count = (tag: string): number => flat.split(tag).length - 1
  const bare = name.replaceAll('-', '')
  return { opening: count(`<${name}`) + (bare === name ? 0 : count(`<${bare}`)), closing: count(`</${name}`) + (bare === name ? 0 : count(`</${bare}`)) }
}

function letter(code: number, otherwise: string): string {
  return code > 0 && code < 0x10ffff ? String.fromCodePoint(code) : otherwise
}
