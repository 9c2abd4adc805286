/** Characters that somebody writes at either end of what they paste, at most. */
const mostOwn = 500

/** What no sentence looks like: numbered and found lines, code, diffs, logs. */
const pasted =
  /^(?:\s{4}|\t)|^\s*(?:\d+(?:[\t→|:]|\s{2})|[\w./\\-]+:\d+[:-]|[{}()[\]<;*]|\/[/*]|(?:import|export|const|let|var|function|def|class|return|package|public|private|func|fn|use|#include)\s|(?:if|for|while) ?\(|at \S+ \(|@@ |diff --git|[+]{3} |-{3}|`{3}|"[^"]*":|\[?\d\d(?:\d\d-\d\d-\d\d|:\d\d:\d\d))|[{};]\s*$|=>\s*$|<\//
const word = /[\p{L}\p{M}]/gu
/** Share of letters below which a line is no sentence. */
const leastLetters = 0.55

function isPasted(line: string): boolean {
  return pasted.test(line) || (line.match(word)?.length ?? 0) < line.trim().length * leastLetters
}

/**
 * What somebody wrote themselves before and behind what they pasted: whole lines from the beginning and from the end up to the first that looks pasted; of prose,
 * which may be pasted too, the first and the last paragraph. Empty where there is no such thing.
 */
export function ownWords(text: string): readonly string[] {
  const lines = text.trim().split('\n')
  const [before, behind] = [ownFrom(lines), ownFrom(lines.toReversed()).toReversed()].map((own) => own.join('\n').trim())
  return before || behind ? [before as string, behind as string] : []
}

function ownFrom(lines: readonly string[]): readonly string[] {
  let paragraph = 0
  let length = 0
  for (const [at, line] of lines.entries()) {
    const isEmpty = line.trim() === ''
    if (!isEmpty && isPasted(line)) return lines.slice(0, at)
    if (isEmpty && paragraph === 0) paragraph = at
    length += line.length + 1
    if (length > mostOwn) return lines.slice(0, paragraph)
  }
  return []
}
