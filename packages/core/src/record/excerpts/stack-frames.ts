import type { Passage } from '../names/name-index.ts'

/** A frame of a stack, in the notations of V8, Java and .NET ("at"), Python ("File") and Ruby ("from"). */
const frame = /^\s*(?:at |File "|from |\.{3} \d+ more)/

/**
 * What stack traces are read for: the message before the frames with the two nearest of them, and the last frame with the line after it, which is
 * the message in Python and the cause in others. In order; none touches another.
 *
 * @param fits Whether there is room for a stretch of the text; asked from the first to the last.
 */
export function tracePassages(text: string, fits: (start: number, end: number) => boolean): readonly Passage[] {
  const found: { start: number; end: number }[] = []
  const add = (start: number, end: number): void => {
    const last = found.at(-1)
    if (!fits(start, end)) return
    if (last && start <= last.end + 1) last.end = end
    else found.push({ start, end })
  }
  let run: Passage[] = []
  let before = 0
  for (let start = 0; start <= text.length; ) {
    const stop = text.indexOf('\n', start)
    const end = stop < 0 ? text.length : stop
    const inside = frame.test(text.slice(start, Math.min(end, start + 300))) || (run.length > 0 && text.startsWith('    ', start))
    if (inside) run.push({ start, end })
    if (!inside || stop < 0) {
      const [, second] = run
      if (second) {
        add(before, second.end)
        add((run.at(-2) as Passage).start, end)
      }
      run = []
      before = start
    }
    start = end + 1
  }
  return found
}
