import type { RecordedMessage } from '../sessions/transcripts.ts'
import { filesOf } from './file-reads.ts'
import { collapsed, unnumbered } from './wording.ts'

const words = 'export|default|async|public|private|protected|static|abstract|final|readonly|declare|pub|unsafe|virtual|override|inline|const|fun'
const kinds =
  'function\\*?|class|interface|type|enum|struct|trait|impl|fn|func|fun|def|defp|defmodule|module|namespace|protocol|object|record|primitive|actor|macro_rules!'
/** A declaration with a keyword, up to its name: methods of Go carry their receiver between the two. */
const declaration = new RegExp(`^(?:(?:${words})(?:\\([\\w ]*\\))?\\s+)*(?:${kinds})\\s+(?:\\([^()]*\\)\\s*)?[\\w$]+(?:(?:\\.|::)[\\w$]+)*`)
/** A value that a module names: `export const limit`, `var errGone`. */
const binding = /^(?:export\s+)?(?:const|let|var|val|static)\s+[\w$]+(?=\s*[:=]|\s+\w)/
const imported =
  /^(?:import\s+(?!\($)\S.*|from\s+\S+\s+import\s+.+|#include\s+\S+|use\s+[\w:{}, ]+;|package\s+[\w.]+;?|export\s+.*\sfrom\s+\S+|(?:const|let|var)\s+.*=\s*require\(.*)$/
const heading = /^#{1,6}\s+\S/
const prose = /\.(?:md|mdx|markdown|rst|txt)$/i
const shortest = 8 // characters

/** What a file's lines declare, import or are headed by: for a declaration its keyword and name, for the others the line; each once, in order. */
export function outlineOf(path: string, text: string): readonly string[] {
  const found = new Set<string>()
  let importing = false
  for (const raw of text.split(/\r?\n/)) {
    const bare = unnumbered(raw)
    const line = bare.trim()
    if (prose.test(path)) {
      if (heading.test(line)) found.add(collapsed(line))
      continue
    }
    if (/^import\s*\($/.test(line)) importing = true
    else if (importing && line === ')') importing = false
    else if (importing && /^(?:[\w.]+\s+)?"[^"]+"$/.test(line)) found.add(collapsed(line))
    else if (imported.test(line)) found.add(collapsed(line).replace(/;$/, ''))
    else {
      // What stands deeper is a body's own affair.
      const indent = bare.length - bare.trimStart().length
      const head = (indent <= 4 ? declaration.exec(line) : null) ?? (indent === 0 ? binding.exec(line) : null)
      if (head !== null) found.add(collapsed(head[0]))
    }
  }
  return [...found].filter((head) => head.length >= shortest)
}

/** Outlines of the files that were read and not edited since. */
export function outlinesOf(messages: readonly RecordedMessage[]): readonly { readonly path: string; readonly heads: readonly string[] }[] {
  const { reads, edits } = filesOf(messages)
  const files = new Map<string, Set<string>>()
  for (const { path, at, text } of reads) {
    if ((edits.get(path) ?? -1) > at) continue
    const heads = files.get(path) ?? new Set()
    for (const head of outlineOf(path, text)) heads.add(head)
    files.set(path, heads)
  }
  return [...files].filter(([, heads]) => heads.size > 0).map(([path, heads]) => ({ path, heads: [...heads] }))
}
