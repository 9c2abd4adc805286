// Future-Reference Recall on recorded sessions: does the agent still have what it will need? A necessary condition, not task success.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Cut, cutsOf } from './cuts.ts'
import { type Score, scoreOf } from './score.ts'
import { strategies } from './strategies.ts'
import { readTranscripts } from './transcripts.ts'

// `npm run evals -- redaction`: another question, its own corpus.
if (process.argv.includes('redaction')) {
  await import('./redaction/main.ts')
  process.exit(0)
}
// `npm run evals -- fit`: the weights of names, fitted anew.
if (process.argv.includes('fit')) {
  await import('./fit.ts')
  process.exit(0)
}
const transcripts = readTranscripts()
if (transcripts.length === 0) {
  console.log('No transcripts were found. Set PRECIS_TRANSCRIPTS to a folder of recorded sessions (JSON Lines); nothing was measured.')
  process.exit(0)
}
const coding = new Set(['claude-code', 'claude-code-agentv', 'pi'])
const sets: readonly (readonly [string, readonly Cut[]])[] = [
  ['coding', transcripts.filter((one) => coding.has(one.set)).flatMap((one) => cutsOf(one))],
  ['short and other domains', transcripts.filter((one) => !coding.has(one.set)).flatMap((one) => cutsOf(one))],
]
const budgets = process.argv.includes('--quick') ? [0.25] : [0.05, 0.1, 0.25, 0.5]
const only = process.argv.find((argument) => argument.startsWith('--only='))?.slice(7)
const rows: Record<string, unknown>[] = []
for (const [set, cuts] of sets) {
  console.log(
    `${set}: ${new Set(cuts.map((cut) => cut.transcript.id)).size} sessions, ${cuts.length} cuts, ${cuts.reduce((sum, cut) => sum + cut.needles.length, 0)} needles`,
  )
  for (const budget of budgets) {
    for (const [name, strategy] of Object.entries(strategies)) {
      if (only !== undefined && !name.includes(only)) continue
      const scores: { readonly id: string; readonly score: Score }[] = []
      for (const cut of cuts) {
        const tokens = Math.floor(cut.tokens * budget)
        scores.push({ id: cut.transcript.id, score: scoreOf(cut, await strategy(cut, tokens), tokens) })
      }
      rows.push({ set, budget: `${budget * 100} %`, strategy: name, ...summary(scores) })
    }
  }
}
console.table(rows)
mkdirSync(join(import.meta.dirname, 'results'), { recursive: true })
writeFileSync(join(import.meta.dirname, 'results/recall.json'), JSON.stringify(rows, null, 2))

// `--gate`: no figure of ours may fall more than a point below the stored one. `--store` replaces them.
const stored = join(import.meta.dirname, 'gate.json')
const ours = Object.fromEntries(
  rows
    .filter((row) => String(row['strategy']).startsWith('Précis'))
    .map((row) => [`${row['set']} at ${row['budget']}`, { primary: Number(row['primary']), passage: Number(row['passage']), tail: Number(row['tail kept']) }]),
)
if (process.argv.includes('--store')) writeFileSync(stored, `${JSON.stringify(ours, null, 2)}\n`)
if (process.argv.includes('--gate')) {
  const before = JSON.parse(readFileSync(stored, 'utf8')) as typeof ours
  const fallen = Object.entries(before).flatMap(([name, figures]) =>
    Object.entries(figures).flatMap(([figure, value]) => {
      const now = ours[name]?.[figure as keyof typeof figures]
      return now === undefined || now < value - 1 ? [`${name}: ${figure} was ${value}, is ${now}`] : []
    }),
  )
  const over = rows.filter((row) => String(row['strategy']).startsWith('Précis') && Number(row['over']) > 0)
  for (const line of fallen) console.error(line)
  for (const row of over) console.error(`over budget: ${row['set']} at ${row['budget']}`)
  if (fallen.length + over.length > 0) process.exitCode = 1
}

/** Means over sessions, in percent. */
function summary(scores: readonly { readonly id: string; readonly score: Score }[]): Record<string, unknown> {
  const bySession = new Map<string, Score[]>()
  for (const { id, score } of scores) bySession.set(id, [...(bySession.get(id) ?? []), score])
  const mean = (pick: (score: Score) => number | undefined): number => {
    const means: number[] = []
    for (const list of bySession.values()) {
      const values = list.map(pick).filter((value) => value !== undefined)
      if (values.length > 0) means.push(values.reduce((a, b) => a + b, 0) / values.length)
    }
    return means.length === 0 ? 0 : (100 * means.reduce((a, b) => a + b, 0)) / means.length
  }
  const frr = mean((score) => score.frr)
  const context = mean((score) => score.inContext)
  const errors = scores.reduce((sum, { score }) => ({ kept: sum.kept + score.errors.kept, all: sum.all + score.errors.all }), { kept: 0, all: 0 })
  const round = (value: number): number => Math.round(value * 10) / 10
  return {
    primary: round((frr + context) / 2),
    FRR: round(frr),
    'in context': round(context),
    passage: round(mean((score) => score.passage)),
    far: round(mean((score) => score.far)),
    'tail kept': round(mean((score) => score.tailKept)),
    errors: errors.all === 0 ? '–' : `${Math.round((100 * errors.kept) / errors.all)} % of ${errors.all}`,
    used: `${Math.round(mean((score) => score.used))} %`,
    infeasible: scores.filter(({ score }) => score.used === 0).length,
    over: scores.filter(({ score }) => score.overBudget).length,
  }
}
