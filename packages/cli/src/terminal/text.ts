import { styleText } from 'node:util'
import measure from 'fast-string-truncated-width'

type Style = Parameters<typeof styleText>[0]

/** Colors for standard output: `NO_COLOR`, `FORCE_COLOR` and whether it is a terminal decide. */
const painted =
  (style: Style) =>
  (text: string): string =>
    text === '' ? '' : styleText(style, text, { stream: process.stdout })

export const bold: (text: string) => string = painted('bold')
export const dim: (text: string) => string = painted('dim')
export const red: (text: string) => string = painted('red')
export const green: (text: string) => string = painted('green')
export const yellow: (text: string) => string = painted('yellow')
export const cyan: (text: string) => string = painted('cyan')

/** Columns that may be written: `COLUMNS`, then the terminal, then 100; never fewer than 40. */
export function columns(env: Readonly<Record<string, string | undefined>> = process.env): number {
  const asked = Number(env['COLUMNS'])
  return Math.max(40, Number.isInteger(asked) && asked > 0 ? asked : process.stdout.columns || 100)
}

/** Columns that a text takes. */
export const widthOf = (text: string): number => measure(text).width

/** Characters of a text that fit into so many columns. The library's own cut is now and then a column late where scripts change. */
function cutAt(text: string, width: number): number {
  let { index } = measure(text, { limit: width })
  while (index > 0 && widthOf(text.slice(0, index)) > width) index--
  return index
}

/** At most so many columns, an ellipsis where something is missing. */
export function fit(text: string, width: number): string {
  return widthOf(text) <= width ? text : `${text.slice(0, cutAt(text, width - 1))}…`
}

/** Exactly so many columns. */
export function padded(text: string, width: number, side: 'left' | 'right' = 'left'): string {
  const own = fit(text, width)
  const fill = ' '.repeat(Math.max(0, width - widthOf(own)))
  return side === 'left' ? own + fill : fill + own
}

/** Lines of at most so many columns: broken at blanks where there are any. At most `most` lines, the last with an ellipsis. */
export function wrapped(text: string, width: number, most: number = Number.POSITIVE_INFINITY): readonly string[] {
  const lines: string[] = []
  let rest = text
  while (rest !== '' && lines.length < most) {
    if (widthOf(rest) <= width) {
      lines.push(rest)
      return lines
    }
    if (lines.length === most - 1) {
      lines.push(fit(rest, width))
      return lines
    }
    const index = cutAt(rest, width)
    const blank = rest.lastIndexOf(' ', index)
    const end = blank > index / 2 ? blank : Math.max(1, index)
    lines.push(rest.slice(0, end))
    rest = rest.slice(end).trimStart()
  }
  return lines
}

const eighths = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉']

/** A share (0–1) as a bar of at most so many columns. What is more than nothing is seen. */
export function bar(share: number, width: number): string {
  const parts = Math.round(Math.min(1, Math.max(0, share)) * width * 8)
  const shown = share > 0 ? Math.max(1, parts) : 0
  return '█'.repeat(Math.floor(shown / 8)) + (eighths[shown % 8] ?? '')
}
