import { type CompactionReport, type Regions, renderReport } from '@precis/core'

const { NO_COLOR, FORCE_COLOR } = process.env
const color =
  NO_COLOR === undefined &&
  (process.stdout.isTTY === true || FORCE_COLOR !== undefined)
const paint = (code: number, text: string): string =>
  color ? `\u001b[${code}m${text}\u001b[0m` : text

/** Rows of the picture of a run. */
const rows = 7
const eighths = ' ▁▂▃▄▅▆▇█'

/**
 * Every request of a run as a column as high as its prompt, the window above them.
 *
 * @param died The request, counted from 1, that was refused without Précis.
 */
export function picture(
  prompts: readonly number[],
  window: number,
  died: number,
): string {
  const lines = Array.from({ length: rows }, (_, at) => {
    const floor = rows - 1 - at
    const columns = prompts.map((tokens) => {
      const filled = Math.round((tokens / window) * rows * 8) - floor * 8
      return eighths[Math.max(0, Math.min(8, filled))]
    })
    return `         │${paint(36, columns.join(''))}`
  })
  const top = prompts
    .map((_, at) => (at + 1 === died ? paint(31, '✗') : paint(90, '┄')))
    .join('')
  return [
    `${window.toLocaleString('en').padStart(8)} ┤${top} ${paint(90, 'the window')}`,
    ...lines,
    `       0 ┼${'─'.repeat(prompts.length)} ${paint(90, 'requests')}`,
    `          ${' '.repeat(died - 1)}${paint(31, '✗ without Précis the agent is dead here')}`,
  ].join('\n')
}

/** One letter and one color for each region of a context. */
const marks: readonly (readonly [keyof Regions, string, number])[] = [
  ['system', 's', 90],
  ['tools', 't', 90],
  ['memory', 'm', 90],
  ['pinned', 'p', 35],
  ['summary', 'S', 33],
  ['history', 'o', 36],
  ['recent', 'r', 32],
  ['input', 'u', 34],
]

/** The context against its budget, `width` characters wide: a letter per region, dots for what is free. */
function contextBar(regions: Regions, budget: number, width = 48): string {
  let bar = ''
  let used = 0
  for (const [region, letter, code] of marks) {
    const cells = Math.round((regions[region] / budget) * width)
    const shown = Math.max(0, Math.min(cells, width - used))
    used += shown
    bar += paint(code, letter.repeat(shown))
  }
  return `[${bar}${'·'.repeat(Math.max(0, width - used))}]`
}

export const legend =
  't tools  p pinned  S summary  o older  r recent  u request  · free'

export function stepLine(
  label: string,
  number: number,
  text: string,
  report?: CompactionReport,
): string {
  const head = `${paint(1, label.padEnd(7))} ${String(number).padStart(3)} ${text.padEnd(44).slice(0, 44)}`
  if (report === undefined) return head
  const { budget, after } = report.tokens
  return budget === null
    ? head
    : `${head} ${contextBar(report.regions.after, budget)} ${String(after).padStart(6)}`
}

export function receipt(report: CompactionReport): string {
  return renderReport(report)
    .split('\n')
    .map((line) => `        ${paint(33, '│')} ${line}`)
    .join('\n')
}

export function table(rows: readonly (readonly string[])[]): string {
  const widths =
    rows[0]?.map((_, column) =>
      Math.max(...rows.map((row) => row[column]?.length ?? 0)),
    ) ?? []
  return rows
    .map((row, at) => {
      const line = row
        .map((cell, column) =>
          column === 0
            ? cell.padEnd(widths[column] ?? 0)
            : cell.padStart(widths[column] ?? 0),
        )
        .join('   ')
      return at === 0 ? `${paint(1, line)}\n${'─'.repeat(line.length)}` : line
    })
    .join('\n')
}

export const faint = (text: string): string => paint(90, text)
export const good = (text: string): string => paint(32, text)
export const bad = (text: string): string => paint(31, text)
export const strong = (text: string): string => paint(1, text)
