import { whole as digits, many, percent } from '../terminal/amounts.ts'
import { bold, columns, dim, fit, green, padded, red, wrapped, yellow } from '../terminal/text.ts'
import type { DiffEntry, TranscriptDiff } from './diff.ts'
import { plain, plainLines } from './plain.ts'

/** Columns from which on before and after stand side by side. */
const wide = 140
/** Messages in a row with the same fate that are shown; more are folded. */
const longestRun = 6

const marks = { kept: ' ', edited: '~', summarized: '-', dropped: 'x' } as const
const paint = { kept: dim, edited: yellow, summarized: red, dropped: red } as const

type Shown = DiffEntry | { readonly folded: number; readonly change: DiffEntry['change'] }

/** Entries with the middle of long runs folded. Edited ones never are. */
function folded(entries: readonly DiffEntry[], whole: boolean): readonly Shown[] {
  const shown: Shown[] = []
  for (let at = 0; at < entries.length; ) {
    const first = entries[at] as DiffEntry
    let end = at + 1
    while (end < entries.length && entries[end]?.change === first.change) end++
    const length = end - at
    if (whole || first.change === 'edited' || length <= longestRun) shown.push(...entries.slice(at, end))
    else shown.push(...entries.slice(at, at + 2), { folded: length - 4, change: first.change }, ...entries.slice(end - 2, end))
    at = end
  }
  return shown
}

const words = { kept: 'kept', edited: 'shortened', summarized: 'summarized', dropped: 'left out' } as const

function lineOf(shown: Shown): string {
  if ('folded' in shown) return `${marks[shown.change]}    ⋯ ${many(shown.folded, 'message')} more ${words[shown.change]} (--all shows them)`
  const { change, index, role, preview } = shown
  return `${marks[change]} ${String(index).padStart(4)} ${role.padEnd(9)} ${plain(preview)}`
}

/** Lines one below the other. */
function stacked({ entries, added }: TranscriptDiff, whole: boolean, width: number): readonly string[] {
  const lines = folded(entries, whole).flatMap((shown) => [
    paint[shown.change](fit(lineOf(shown), width)),
    ...('patches' in shown ? shown.patches : []).flatMap((patch) =>
      plainLines(patch)
        .split('\n')
        .map((line) => (line.startsWith('+') ? green : line.startsWith('-') ? red : dim)(`       ${line}`)),
    ),
  ])
  return [...lines, ...added.flatMap((text) => plainLines(text).split('\n')).map((line) => green(`+ ${line}`))]
}

interface Cell {
  readonly text: string
  readonly paint: (text: string) => string
}
const nothing: Cell = { text: '', paint: (text) => text }

/** A patch as lines before and lines after. */
function halves(patch: string): readonly [before: readonly Cell[], after: readonly Cell[]] {
  const [before, after]: [Cell[], Cell[]] = [[], []]
  for (const line of plainLines(patch).split('\n')) {
    if (/^(?:[-+]{3} |=+$)/.test(line)) continue
    const text = `       ${line}`
    if (line.startsWith('-')) before.push({ text, paint: red })
    else if (line.startsWith('+')) after.push({ text, paint: green })
    else {
      const length = Math.max(before.length, after.length)
      for (const side of [before, after]) {
        while (side.length < length) side.push(nothing)
        side.push({ text, paint: dim })
      }
    }
  }
  return [before, after]
}

/** Before on the left, after on the right: the summary stands beside what it is of. */
function besides({ entries, added }: TranscriptDiff, whole: boolean, width: number): readonly string[] {
  const room = Math.floor((width - 3) / 2)
  const rows: (readonly [Cell, Cell])[] = []
  const zip = (left: readonly Cell[], right: readonly Cell[]): void => {
    for (let at = 0; at < Math.max(left.length, right.length); at++) rows.push([left[at] ?? nothing, right[at] ?? nothing])
  }
  let summary: readonly Cell[] = added.flatMap((text) =>
    plainLines(text)
      .split('\n')
      .flatMap((line) => (line === '' ? [''] : wrapped(line.replaceAll('\t', '  '), room - 2)))
      .map((line) => ({ text: `+ ${line}`, paint: green })),
  )
  const shown = folded(entries, whole)
  for (let at = 0; at < shown.length; at++) {
    const one = shown[at] as Shown
    const own: Cell = { text: lineOf(one), paint: paint[one.change] }
    if (one.change === 'kept') rows.push([own, own])
    else if (one.change === 'dropped') rows.push([own, nothing])
    else if ('patches' in one && one.change === 'edited') {
      rows.push([own, own])
      for (const patch of one.patches) zip(...halves(patch))
    } else {
      const run = [own]
      while (shown[at + 1]?.change === 'summarized') run.push({ text: lineOf(shown[++at] as Shown), paint: red })
      zip(run, summary)
      summary = []
    }
  }
  zip([], summary)
  return rows.map(([left, right]) => `${left.paint(padded(left.text, room))} ${dim('│')} ${right.paint(fit(right.text, room))}`.trimEnd())
}

/** The differences as a person reads them: side by side at 140 columns and more. @param whole - Nothing folded. */
export function renderDiff(found: TranscriptDiff, { whole = false, width = columns() }: { readonly whole?: boolean; readonly width?: number } = {}): string {
  const { before, after } = found.tokens
  if (!whole && before === after && found.entries.every(({ change }) => change === 'kept'))
    return `${bold(plain(found.name))}: ${digits(before)} tokens, nothing to do`
  const saved = before > after ? ` (${percent((before - after) / before)} less)` : ''
  return [
    `${bold(plain(found.name))}: ${digits(before)} → ${bold(digits(after))} tokens${saved}`,
    ...(width >= wide ? besides(found, whole, width) : stacked(found, whole, width)),
    dim(`${marks.kept} kept  ${marks.edited} shortened  ${marks.summarized} summarized  ${marks.dropped} left out  + new`),
  ].join('\n')
}
