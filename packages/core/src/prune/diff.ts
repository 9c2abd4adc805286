import type { TokenEstimator } from '../budget/estimate.ts'
import type { Tokens } from '../history/message.ts'

/**
 * A unified diff made smaller: every file and hunk keeps its header; first the unchanged lines go, then changed ones beyond the first of each hunk,
 * each gap with its count.
 *
 * @returns undefined for what is no diff, or whose headers alone do not fit.
 */
export function shortenDiff(text: string, budget: Tokens, estimator: TokenEstimator): string | undefined {
  const lines = text.split('\n')
  const kinds = kindsOf(lines)
  if (!kinds.includes('hunk')) return undefined
  const fits = (most: number): string | undefined => {
    const shown = withGaps(lines, kinds, most)
    return estimator.count(shown) <= budget ? shown : undefined
  }
  let best = fits(0)
  if (best === undefined) return undefined
  for (let low = 0, high = 4_096; high - low > 1; ) {
    const middle = (low + high) >> 1
    const shown = fits(middle)
    if (shown === undefined) high = middle
    else {
      low = middle
      best = shown
    }
  }
  return best
}

type Kind = 'file' | 'hunk' | 'changed' | 'same'

/** A hunk says how many lines it has: a removed line that begins with "--" is no header. */
function kindsOf(lines: readonly string[]): readonly Kind[] {
  let [removed, added] = [0, 0]
  return lines.map((line) => {
    const header = /^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@/.exec(line)
    if (header !== null) {
      removed = Number(header[1] ?? 1)
      added = Number(header[2] ?? 1)
      return 'hunk'
    }
    if (removed + added <= 0) return /^(?:diff |--- |\+\+\+ |rename |new file|deleted file|Binary )/.test(line) ? 'file' : 'same'
    if (line.startsWith('-')) removed--
    else if (line.startsWith('+')) added--
    else if (!line.startsWith('\\')) {
      removed--
      added--
      return 'same'
    }
    return 'changed'
  })
}

/** The headers, and up to so many changed lines of each hunk. */
function withGaps(lines: readonly string[], kinds: readonly Kind[], most: number): string {
  const shown: string[] = []
  let changed = 0
  let gap = 0
  const close = (): void => {
    if (gap > 0) shown.push(`[… ${gap} lines]`)
    gap = 0
  }
  lines.forEach((line, at) => {
    const kind = kinds[at] as Kind
    if (kind === 'file' || kind === 'hunk') changed = 0
    if (kind === 'same' || (kind === 'changed' && ++changed > most)) {
      gap++
      return
    }
    close()
    shown.push(line)
  })
  close()
  return shown.join('\n')
}
