import type { Redactor } from './redactor.ts'

/** Characters at both sides of a cut that may belong to one secret: the longest that a rule knows is a key file. */
const widest = 10_000

/**
 * Where a text may be cut so that each part can be redacted alone: at `wanted`, or before it, where no secret stands across.
 *
 * @param text What is there so far, beyond `wanted` too.
 */
export function cutBetweenSecrets(text: string, wanted: number, redact: Redactor): number {
  let cut = wanted
  for (let tries = 0; tries < 8; tries++) {
    if (!isAcross(text.slice(0, cut), text.slice(cut), redact)) return cut
    cut = earlierCut(text, cut, tries)
  }
  return wanted
}

/** Whether a secret begins in one text and ends in the next. */
export function isAcross(one: string, next: string, redact: Redactor): boolean {
  const [before, after] = [one.slice(-widest), next.slice(0, widest)]
  return redact(before + after) !== redact(before) + redact(after)
}

/** First the word before, then the line before, then far away. */
function earlierCut(text: string, cut: number, tries: number): number {
  const recent = text.slice(Math.max(0, cut - widest), Math.max(0, cut - 1))
  const gap = tries < 3 ? Math.max(recent.lastIndexOf(' '), recent.lastIndexOf('\n')) : tries < 6 ? recent.lastIndexOf('\n') : -1
  return Math.max(0, cut - widest) + gap + 1
}
