// Results as a table: for a terminal or a document, and as a page.
import type { LivePrices } from './models.ts'
import type { LiveResult } from './run.ts'
import { type WayName, ways } from './ways.ts'

export const titles = [
  'way',
  'tasks',
  'finished',
  'answers right',
  'requests',
  'tokens of prompts',
  'of them cached',
  'tokens written',
  'money',
  'minutes',
  'died',
] as const
type Row = readonly string[]

const dollarsOf = ({ input, cached, output }: LiveResult, prices: LivePrices): number =>
  ((input - cached) * prices.input + cached * (prices.cacheRead ?? prices.input) + output * prices.output) / 1e6

/** One row for each way that was gone. */
export function rowsOf(results: readonly LiveResult[], prices: LivePrices | undefined): readonly Row[] {
  return ways.flatMap((way: WayName): Row[] => {
    const own = results.filter((one) => one.way === way)
    if (own.length === 0) return []
    const sum = (of: (result: LiveResult) => number): number => own.reduce((total, one) => total + of(one), 0)
    const whole = (value: number): string => Math.round(value).toLocaleString('en')
    const finished = own.filter((one) => one.finished).length
    const input = sum((one) => one.input)
    return [
      [
        way,
        whole(own.length),
        `${finished} of ${own.length}`,
        `${sum((one) => one.right)} of ${sum((one) => one.questions)}`,
        whole(sum((one) => one.steps)),
        whole(input),
        input === 0 ? '–' : `${Math.round((100 * sum((one) => one.cached)) / input)} %`,
        whole(sum((one) => one.output)),
        prices === undefined ? '–' : `$${sum((one) => dollarsOf(one, prices)).toFixed(2)}`,
        (sum((one) => one.seconds) / 60).toFixed(1),
        whole(own.filter((one) => one.error !== undefined).length),
      ],
    ]
  })
}

export function markdownOf(title: string, rows: readonly Row[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`
  return [`**${title}**`, '', line(titles), line(titles.map((_, at) => (at === 0 ? '---' : '--:'))), ...rows.map(line)].join('\n')
}

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')

export function htmlOf(title: string, rows: readonly Row[]): string {
  const row = (cells: readonly string[], tag: 'th' | 'td'): string => `<tr>${cells.map((cell) => `<${tag}>${escaped(cell)}</${tag}>`).join('')}</tr>`
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(title)}</title>
<style>
:root { color-scheme: light dark }
body { font: 16px / 1.5 system-ui, sans-serif; max-width: 70rem; margin: 2rem auto; padding: 0 1rem }
.scroll { overflow-x: auto }
table { border-collapse: collapse; font-variant-numeric: tabular-nums }
th, td { padding: .3rem .8rem; border-bottom: 1px solid light-dark(#d5dae4, #343c4d); text-align: right }
th:first-child, td:first-child { text-align: left }
</style>
<h1>${escaped(title)}</h1>
<p>Each task: read 24 files, open a vault with a code of the second one, answer four questions about the beginning. The same tasks for every way.</p>
<div class="scroll"><table><thead>${row(titles, 'th')}</thead><tbody>${rows.map((cells) => row(cells, 'td')).join('')}</tbody></table></div>
</html>
`
}
