import type { CompactionPlan } from '@precis/core'
import { knownModel } from '@precis/models'
import { dollars, many, percent, short, whole } from '../terminal/amounts.ts'
import { bar, bold, columns, cyan, dim, padded, widthOf } from '../terminal/text.ts'
import type { RecordedUsage } from '../transcripts/recorded-usage.ts'
import type { Inspection } from './inspect.ts'
import { plain } from './plain.ts'
import { regionName } from './region-name.ts'

/** One line of a table: a name, tokens, and what they are a share of. */
interface Row {
  readonly name: string
  readonly tokens: number
  readonly end?: string
}

const largestBar = 40
const mostTools = 8
const mostSubjects = 10

/** `Bash: npm test`, `Read: src/a.ts`; a long path loses its beginning. */
function subject(tool: string, what: string, times: number, width: number): string {
  const end = times > 1 ? ` × ${times}` : ''
  const room = width - widthOf(end) - tool.length - 2
  const shown = widthOf(what) > room && what.includes('/') && !what.includes(' ') ? `…${what.slice(-Math.max(1, room - 1))}` : what
  return `${padded(what === '' ? tool : `${plain(tool)}: ${shown}`, Math.max(1, width - widthOf(end))).trimEnd()}${end}`
}

const nameWidth = (width: number): number => Math.max(20, Math.min(70, Math.floor(width * 0.5)))

function table(title: string, rows: readonly Row[], all: number, width: number): readonly string[] {
  if (rows.length === 0) return []
  const name = nameWidth(width)
  const room = Math.min(largestBar, width - name - 2 - 11 - 9)
  return [
    '',
    bold(title),
    ...rows.map(({ name: own, tokens, end }) => {
      const share = tokens / Math.max(1, all)
      const drawn = end ?? (room >= 5 ? cyan(bar(share, room)) : '')
      return `  ${padded(own, name)} ${whole(tokens).padStart(10)} ${percent(share).padStart(6)}  ${drawn}`.trimEnd()
    }),
  ]
}

/** What tokens cost that were written into the prompt cache once and read from it by each later call. */
function carriedCost(usage: RecordedUsage | undefined, tokens: number, carried: number): number | undefined {
  const prices = usage?.models[0] === undefined ? undefined : knownModel(usage.models[0].model)?.prices
  return prices === undefined ? undefined : (tokens * (prices.cacheWrite ?? prices.input) + carried * (prices.cacheRead ?? prices.input)) / 1e6
}

function repeated({ duplicates: { outputs, tokens, carried, most }, usage, tokens: all }: Inspection, width: number): readonly string[] {
  if (outputs === 0) return []
  const cost = carriedCost(usage, tokens, carried)
  const rows = most.map(({ tool, what, times, tokens: own }) => ({ name: subject(tool, what, times, nameWidth(width)), tokens: own }))
  return [
    ...table('Repeated outputs', rows, all, width),
    `  ${bold(`${many(outputs, 'repetition')}: ${whole(tokens)} tokens`)}${cost === undefined ? '' : `, about ${dollars(cost)} from a warm prompt cache`}`,
    `  and ${short(carried)} more with later calls, if nothing left the context`,
  ]
}

function recorded(usage: RecordedUsage | undefined, width: number): readonly string[] {
  if (usage === undefined) return []
  const name = Math.min(34, Math.max(16, width - 54))
  const head = ['calls', 'input', 'cache read', 'written', 'output', 'cost']
  const cells = (values: readonly string[]): string => values.map((value, at) => value.padStart(at === 2 ? 11 : 8)).join('')
  const rows = usage.models.map((one) => {
    const cost = one.dollars === undefined ? '?' : dollars(one.dollars)
    return `  ${padded(plain(one.model), name)}${cells([whole(one.calls), short(one.input), short(one.cacheRead), short(one.cacheWrite), short(one.output), cost])}`
  })
  const known = usage.models.flatMap((one) => one.dollars ?? [])
  const total = known.reduce((sum, one) => sum + one, 0)
  const price =
    known.length < usage.models.length
      ? 'No price is known for models with ?.'
      : `${bold(dollars(total))} in all${usage.pricesOf === undefined ? ', as the log says' : `, by list prices of ${usage.pricesOf}`}.`
  return [
    '',
    bold('Usage, as the log recorded it'),
    dim(`  ${padded('model', name)}${cells(head)}`),
    ...rows,
    `  ${price} The last prompt had ${whole(usage.lastPrompt)} tokens, the largest ${whole(usage.largestPrompt)}.`,
  ]
}

/** One conversation. `plan`: what a policy would do with it. */
export function renderInspection(found: Inspection, plan?: CompactionPlan, width: number = columns()): string {
  const { tokens: all } = found
  const name = nameWidth(width)
  const lines = [
    bold(plain(found.name)),
    `${many(found.messages, 'message')}, about ${bold(`${whole(all)} tokens`)} ${dim(`(${found.format})`)}`,
    ...table(
      'By role',
      Object.entries(found.byRole).map(([role, tokens]) => ({ name: role, tokens })),
      all,
      width,
    ),
    ...table(
      'Outputs by tool',
      found.byTool.slice(0, mostTools).map(({ tool, calls, tokens }) => ({ name: `${plain(tool)} × ${calls}`, tokens })),
      all,
      width,
    ),
    ...table('Outputs by file or command', subjects(found, name), all, width),
    ...table(
      'Largest outputs',
      found.largest.map(({ index, tool, what, tokens }) => ({ name: `message ${index}  ${subject(tool, what, 1, name - 10 - String(index).length)}`, tokens })),
      all,
      width,
    ),
    ...repeated(found, width),
    ...recorded(found.usage, width),
  ]
  if (plan === undefined) return lines.join('\n')
  const { before } = plan.tokens
  const regions = Object.entries(plan.regions.before).flatMap(([region, tokens]) => (tokens > 0 ? [{ name: regionName(region), tokens }] : []))
  return [...lines, ...table(`By region, of ${whole(before)} tokens`, regions, before, width), '', renderPlan(plan)].join('\n')
}

const subjects = ({ bySubject }: Pick<Inspection, 'bySubject'>, name: number): readonly Row[] =>
  bySubject
    .filter(({ what }) => what !== '')
    .slice(0, mostSubjects)
    .map(({ tool, what, calls, tokens }) => ({ name: subject(tool, what, calls, name), tokens }))

/** Conversations that are shown one by one; more are added up. */
const mostWhole = 3
const mostListed = 20

/** A few conversations one by one; many as one table, and what fills the context of all. */
export function renderInspections(found: readonly (Inspection & { readonly plan?: CompactionPlan })[], width: number = columns()): string {
  if (found.length <= mostWhole) return found.map((one) => renderInspection(one, one.plan, width)).join('\n\n')
  const all = found.reduce((sum, { tokens }) => sum + tokens, 0)
  const name = nameWidth(width)
  const added = new Map<string, { tool: string; what: string; calls: number; tokens: number }>()
  for (const one of found.flatMap(({ bySubject }) => bySubject)) {
    const key = `${one.tool}\u0000${one.what}`
    const { calls, tokens } = added.get(key) ?? { calls: 0, tokens: 0 }
    added.set(key, { ...one, calls: calls + one.calls, tokens: tokens + one.tokens })
  }
  const largest = [...found].sort((a, b) => b.tokens - a.tokens)
  const again = found.reduce((sum, { duplicates }) => sum + duplicates.tokens, 0)
  const left = found.length - mostListed
  return [
    `${bold(many(found.length, 'conversation'))}, ${many(
      found.reduce((sum, { messages }) => sum + messages, 0),
      'message',
    )}, about ${bold(`${whole(all)} tokens`)}; ${whole(again)} of them in repeated outputs`,
    ...table(
      'Conversations',
      largest.slice(0, mostListed).map((one) => ({ name: plain(one.name), tokens: one.tokens })),
      all,
      width,
    ),
    ...(left > 0 ? [dim(`  and ${many(left, 'smaller one')}`)] : []),
    ...table('Outputs by file or command', subjects({ bySubject: [...added.values()].sort((a, b) => b.tokens - a.tokens) }, name), all, width),
    ...found.flatMap(({ name: own, plan }) => (plan === undefined ? [] : ['', `${bold(plain(own))}: ${renderPlan(plan)}`])),
    '',
    dim('Name one file for its own tables; --json has all of them.'),
  ].join('\n')
}

/** One line: what a policy would do. */
export function renderPlan({ decision, tokens, keep, edits, summarize, drop }: CompactionPlan): string {
  if (decision.action === 'none')
    return `fits: ${bold(whole(tokens.before))} of ${decision.usable === null ? '' : `${whole(decision.usable)} `}tokens, nothing to do`
  return `${decision.action}, ${whole(tokens.before)} → at most ${bold(whole(tokens.after))} tokens; keep ${keep.length}, shorten ${edits.length}, summarize ${summarize.length}, drop ${drop.length}`
}
