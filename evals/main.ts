// `npm run evals`: does the agent still have what it will need? Future-Reference Recall on recorded sessions: a necessary condition, not task success.
//   (nothing)   every strategy, peers and bounds at every budget, a table, results/recall.json, sessions.csv and evals.html
//   gate        ours beside two baselines, and what must hold of every output; fails where a figure fell by more than a point
//   store       writes the figures that the gate compares with
//   replay      sessions replayed call by call: cost against recall
//   recorded    summaries that real agents wrote, alone and beside our record
//   fit         fits the weights of names anew; redaction: secrets found, innocent texts changed
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Figures, figuresOf, type Scored } from './aggregate.ts'
import { baselines, type Strategy } from './baselines.ts'
import { type Cut, cutsOf } from './cuts.ts'
import { brokenGates } from './gates.ts'
import { writePage } from './page.ts'
import { peers } from './peers.ts'
import { rareExtractor } from './rare.ts'
import { scoreOf } from './score.ts'
import { precis, recordOnly } from './strategies.ts'
import { type Recorded, readTranscripts } from './transcripts.ts'

/** One strategy at one budget on one set. */
export interface Row extends Figures {
  readonly set: string
  readonly budget: string
  readonly strategy: string
}

const results = join(import.meta.dirname, 'results')
const gateFile = join(import.meta.dirname, 'gate.json')
const ours = 'Précis, balanced'
const quick: Readonly<Record<string, Strategy>> = {
  'FIFO, whole groups': baselines['FIFO, whole groups'] as Strategy,
  'head + tail of outputs, fitted': baselines['head + tail of outputs, fitted'] as Strategy,
  [ours]: precis,
}
const coding = new Set(['claude-code', 'claude-code-agentv', 'pi'])
const shares = [0.05, 0.1, 0.25, 0.5]
const sizes = [8_000, 16_000, 32_000]

const other: Readonly<Record<string, () => Promise<unknown>>> = {
  redaction: () => import('./redaction/main.ts'),
  fit: () => import('./fit.ts'),
  replay: () => import('./replay.ts'),
  recorded: () => import('./recorded.ts'),
}
const command = process.argv.slice(2).find((argument) => !argument.startsWith('-')) ?? 'all'
if (command in other) await other[command]?.()
else await recall()

async function recall(): Promise<void> {
  const transcripts = readTranscripts()
  if (transcripts.length === 0) {
    console.log('No transcripts were found. Set PRECIS_TRANSCRIPTS to a folder of recorded sessions (JSON Lines); nothing was measured.')
    return
  }
  const strategies = command === 'all' ? { ...baselines, ...peers, 'Précis, the record alone': recordOnly, [ours]: precis } : quick
  const rows: Row[] = []
  const measure = async (set: string, cuts: readonly Cut[], budgets: readonly number[]): Promise<void> => {
    const needles = cuts.reduce((sum, cut) => sum + cut.needles.length, 0)
    console.log(`${set}: ${new Set(cuts.map((cut) => cut.transcript.id)).size} sessions, ${cuts.length} cuts, ${needles} names used later`)
    for (const budget of budgets) {
      const some = budget < 1 ? cuts : cuts.filter((cut) => cut.tokens > budget)
      for (const [strategy, run] of Object.entries(strategies)) {
        const row = { set, budget: budget < 1 ? `${budget * 100} %` : `${budget / 1_000}k`, strategy, ...figuresOf(await scored(some, budget, run)) }
        rows.push(row)
      }
    }
  }
  const [codingSet, others] = [transcripts.filter(({ set }) => coding.has(set)), transcripts.filter(({ set }) => !coding.has(set))]
  const cuts = (set: readonly Recorded[]): readonly Cut[] => set.flatMap((one) => cutsOf(one))
  await measure('coding', cuts(codingSet), command === 'all' ? [...shares, ...sizes] : shares)
  await measure('short and other domains', cuts(others), shares)
  if (command === 'all') {
    const rare = rareExtractor(transcripts)
    const rareCuts = codingSet.flatMap((one) => cutsOf(one, rare, () => 3))
    await measure('coding, "rare"', rareCuts, shares)
  }
  console.table(rows.map(tableRow))
  for (const { kinds, domains, set } of rows.filter((row) => row.strategy === ours && row.budget === '25 %')) {
    console.log(`${set} at 25 %, share still there by kind: ${list(kinds)}; by domain: ${list(domains)}`)
  }
  if (command === 'store') writeFileSync(gateFile, `${JSON.stringify(stored(rows), null, 2)}\n`)
  if (command === 'gate') {
    const broken = [...fallen(stored(rows)), ...(await brokenGates(cuts(codingSet), cuts(others)))]
    for (const line of broken) console.error(line)
    console.log(broken.length === 0 ? 'Every gate holds.' : `${broken.length} gates broken.`)
    if (broken.length > 0) process.exitCode = 1
  }
  mkdirSync(results, { recursive: true })
  writeFileSync(join(results, command === 'all' ? 'recall.json' : 'recall-of-ours.json'), JSON.stringify(rows, null, 2))
  writeFileSync(join(results, 'sessions.csv'), sessionsCsv(rows))
  if (command === 'all') console.log(`\nA page with plots: ${writePage(results)}`)
}

async function scored(cuts: readonly Cut[], budget: number, strategy: Strategy): Promise<readonly Scored[]> {
  const all: Scored[] = []
  for (const cut of cuts) {
    const tokens = budget < 1 ? Math.floor(cut.tokens * budget) : budget
    all.push({ session: cut.transcript.id, domain: cut.transcript.domain, score: scoreOf(cut, await strategy(cut, tokens), tokens) })
  }
  return all
}

function tableRow({
  set,
  budget,
  strategy,
  interval,
  errors,
  kinds: _kinds,
  domains: _domains,
  sessions: _sessions,
  ...figures
}: Row): Record<string, unknown> {
  return {
    set,
    budget,
    strategy,
    primary: figures.primary,
    '95 %': interval.join('–'),
    'FRR / in context / passage': `${figures.recall} / ${figures.inContext} / ${figures.passage}`,
    far: figures.far,
    'tail kept': figures.tailKept,
    errors: errors.of === 0 ? '–' : `${errors.kept} % of ${errors.of}`,
    used: figures.used,
    'over · unpaired · request lost · nothing': `${figures.over} · ${figures.unpaired} · ${figures.requestsLost} · ${figures.nothing}`,
  }
}

/** One line per session, strategy and budget. */
function sessionsCsv(rows: readonly Row[]): string {
  const lines = rows.flatMap(({ set, budget, strategy, sessions }) =>
    sessions.map((one) => [set, budget, strategy, one.session, one.cuts, one.names, one.primary, one.passage, one.tailKept]),
  )
  const cells = [['set', 'budget', 'strategy', 'session', 'cuts', 'names', 'primary', 'passage', 'tail kept'], ...lines]
  return `${cells.map((line) => line.map((cell) => JSON.stringify(cell)).join(',')).join('\n')}\n`
}

function list(shares: Readonly<Record<string, number>>): string {
  return Object.entries(shares)
    .map(([name, share]) => `${name} ${share}`)
    .join(', ')
}

type Stored = Readonly<Record<string, { readonly primary: number; readonly passage: number; readonly tail: number }>>

function stored(rows: readonly Row[]): Stored {
  const own = rows.filter((row) => row.strategy === ours && row.budget.endsWith('%') && !row.set.includes('rare'))
  return Object.fromEntries(own.map(({ set, budget, primary, passage, tailKept }) => [`${set} at ${budget}`, { primary, passage, tail: tailKept }]))
}

/** No figure of ours may fall more than a point below the stored one. */
function fallen(now: Stored): readonly string[] {
  return Object.entries(JSON.parse(readFileSync(gateFile, 'utf8')) as Stored).flatMap(([name, figures]) =>
    (Object.keys(figures) as (keyof typeof figures)[]).flatMap((figure) => {
      const value = now[name]?.[figure]
      return value !== undefined && value >= figures[figure] - 1 ? [] : [`${name}: ${figure} was ${figures[figure]}, is ${value}`]
    }),
  )
}
