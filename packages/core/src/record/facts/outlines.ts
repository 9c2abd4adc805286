import { answeredCalls } from '../../history/groups.ts'
import { memoized, toKeep } from '../../history/memoize.ts'
import type { Message, ToolResultPart } from '../../history/message.ts'
import type { Pieces } from '../../history/pieces.ts'
import { argumentsOf, changingTools } from '../texts/call-input.ts'
import { printed } from '../texts/printed.ts'

/** A declaration, an import or a heading of a file that was read and has not been changed since. */
export interface OutlineLine {
  readonly index: number
  readonly path: string
  /** 1-based, where the tool numbered its lines. */
  readonly line: number | undefined
  readonly text: string
  readonly kind: 'declaration' | 'constant' | 'import' | 'heading'
}

const modifiers =
  '(?:(?:export|default|pub(?:\\([^)]*\\))?|public|private|protected|internal|static|async|abstract|final|declare|unsafe|extern|inline|virtual|override|sealed|open|data)\\s+)*'
const declaration = new RegExp(
  `^(?:\\t|\\s{0,4})${modifiers}(?:func|function\\*?|fn|def|class|interface|type|struct|enum|trait|impl|module|namespace|protocol|object|macro_rules!|record)\\s+[\\w([<*]`,
)
const constant = new RegExp(`^${modifiers}(?:const|let|var|val|static)\\s+[\\w{[]`)
const imported =
  /^(?:import\b|from\s+\S+\s+import\b|use\s(?:[^;]+;\s*$|[\w:]+::)|#include\s|req(?:uire)(?:_relative)?[ (]|using\s+[\w.]+;|package\s+\w|export\s.*\bfrom\s+['"])/
/** Imports of Go, in a list: its beginning, one, its end. */
const opening = /^import\s*\($/
const listed = /^\s+(?:[\w.]+\s+)?"[^"]+"$/
const closing = /^\)/
const heading = /^#{1,6}\s+\S/
/** Files in which a line that begins with `#` is a heading; in others it is a comment. */
const prose = /\.(?:mdx?|markdown|rst|txt|adoc)$/i
/** How tools number the lines of a file: `12→`, `12\t`, `12: `, `12|`, `12-`. */
const numbered = /^ {0,8}(\d{1,6})(?:→|\t|: ?|\| ?|-)(.*)$/

const mostLines = 20_000
/** Lines of one output that an outline has: a record shows a part of them. */
const mostFound = 1_000
const longestLine = 200
/** Characters of a declaration that is shown with its parameters. Source: npm run evals, 40 to 1,000 tried. */
const longestDeclaration = 48

/** Outlines of the files that a span read whole or in part, by file in the order of their first reading. */
export function* outlinesOf(messages: readonly Message[], indices: readonly number[]): Pieces<readonly OutlineLine[]> {
  const wanted = new Set(indices)
  const byPath = new Map<string, Map<string, OutlineLine>>()
  for (const { call, result, calledAt, answeredAt } of answeredCalls(messages)) {
    if (calledAt % 16 < 2) yield
    if (result.isError) continue
    const mayShow = wanted.has(answeredAt) && !/grep|search|glob|find|list|bash|shell|exec/i.test(call.tool)
    if (!mayShow && !changingTools.test(call.tool)) continue
    const { path, paths, isChange } = argumentsOf(call)
    // What was read is no longer what is there.
    if (isChange) for (const changed of paths) byPath.delete(changed)
    if (isChange || path === '' || !mayShow) continue
    const lines = memoized(byPath, path, () => new Map<string, OutlineLine>())
    for (const line of outlineOf(result, path)) lines.set(line.text, { ...line, index: answeredAt, path })
  }
  return [...byPath.values()].flatMap((lines) => [...lines.values()])
}

const known = new WeakMap<ToolResultPart, Outline>()

/** The outline of a file that an output shows, remembered with it: a call has one path. */
function outlineOf(part: ToolResultPart, path: string): Outline {
  return memoized(known, part, () => toKeep(outlineIn(printed(part).output, path)))
}

type Outline = readonly Omit<OutlineLine, 'index' | 'path'>[]

/** Headings of prose, or declarations and imports of code, in order. */
export function outlineIn(text: string, path: string): Outline {
  const found: Omit<OutlineLine, 'index' | 'path'>[] = []
  const isProse = prose.test(path)
  let importing = false
  for (const raw of text.split('\n', mostLines)) {
    if (raw.length > longestLine * 2) continue
    const match = numbered.exec(raw)
    const code = match?.[2] ?? raw
    importing = importing ? !closing.test(code) : opening.test(code)
    const kind = isProse ? heading.test(code) && 'heading' : kindOf(code, importing)
    if (kind === false) continue
    const whole = code.trim().replace(/\s*\{$/, '')
    const trimmed = kind === 'declaration' && whole.length > longestDeclaration ? withoutParameters(whole) : whole
    if (trimmed.length <= longestLine && found.push({ line: match === null ? undefined : Number(match[1]), text: trimmed, kind }) >= mostFound) break
  }
  return found
}

function kindOf(code: string, importing: boolean): 'declaration' | 'constant' | 'import' | false {
  if (declaration.test(code)) return 'declaration'
  if (constant.test(code)) return 'constant'
  return ((imported.test(code) && !opening.test(code)) || (importing && listed.test(code))) && 'import'
}

/** A long declaration up to its parameters; a receiver in front of the name is none of them. */
function withoutParameters(code: string): string {
  const at = code.indexOf('(', code.startsWith('func (') ? code.indexOf(')') : 0)
  return at < 0 ? code : `${code.slice(0, at)}(…)`
}
