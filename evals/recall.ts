// Every strategy on every cut: what it keeps, and what its contexts are worth as texts. Commands: main.ts.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fallen, storable, store } from './bounds.ts'
import { brokenGates } from './gates.ts'
import { rareExtractor } from './measures/rare.ts'
import { writePage } from './page.ts'
import { type Row, rowOf } from './rows.ts'
import { type Cut, cutsOf } from './sessions/cuts.ts'
import { ownSessions, type Recorded, readTranscripts } from './sessions/transcripts.ts'
import { accountRow, list, printTexts, sessionsCsv, tableRow } from './tables.ts'
import { measureTexts } from './texts.ts'
import { baselines, type Strategy } from './ways/baselines.ts'
import { peers } from './ways/peers.ts'
import { newestOnly, once, precis, recordOnly } from './ways/strategies.ts'

const results = join(import.meta.dirname, 'results')
const ours = 'Précis, balanced'
const coding = new Set(['claude-code', 'claude-code-agentv', 'pi', ownSessions])
const shares = [0.05, 0.1, 0.25, 0.5]
const sizes = [8_000, 16_000, 32_000]
const asked = once(precis)
const newest = ['newest only, as large as ours', newestOnly(asked)] as const
/** Strategies whose contexts are judged as texts too. */
const readable = [
  'FIFO, whole groups',
  'head + tail of outputs, fitted',
  'trimMessages (LangChain), startOn human',
  'pruneMessages (AI SDK), fitted',
  newest[0],
  ours,
]

/** @param command `all`, `texts`, `gate` or `store`. */
export async function recall(command: string): Promise<void> {
  const transcripts = readTranscripts()
  if (transcripts.length === 0) {
    console.log('No transcripts were found. Set PRECIS_TRANSCRIPTS to a folder of recorded sessions (JSON Lines); nothing was measured.')
    return
  }
  const all = command === 'all'
  /** Figures of sessions of your own stand beside the published ones. */
  const resultOf = (name: string): string => join(results, transcripts.every(({ set }) => set === ownSessions) ? `own-${name}` : name)
  /** Figures for documents rather than for the gate. */
  const published = all || command === 'texts'
  const known: Readonly<Record<string, Strategy>> = {
    ...baselines,
    [newest[0]]: newest[1],
    ...peers,
    'Précis, the record alone': recordOnly,
    [ours]: asked,
  }
  const strategies = Object.entries(known).filter(([name]) => all || (readable.includes(name) && (command === 'texts' || !(name in peers))))
  const rows: Row[] = []
  const measure = async (set: string, cuts: readonly Cut[], budgets: readonly number[], texts = true): Promise<void> => {
    if (cuts.length === 0) return
    const needles = cuts.reduce((sum, cut) => sum + cut.needles.length, 0)
    console.log(`${set}: ${new Set(cuts.map((cut) => cut.transcript.id)).size} sessions, ${cuts.length} cuts, ${needles} names used later`)
    for (const budget of budgets) {
      for (const one of strategies) rows.push(await rowOf(set, cuts, budget, one, texts && budget < 1 && readable.includes(one[0])))
    }
  }
  const [codingSet, others] = [transcripts.filter(({ set }) => coding.has(set)), transcripts.filter(({ set }) => !coding.has(set))]
  const cuts = (set: readonly Recorded[]): readonly Cut[] => set.flatMap((one) => cutsOf(one))
  const sets = { coding: cuts(codingSet), 'short and other domains': cuts(others) }
  await measure('coding', sets.coding, all ? [...shares, ...sizes] : shares)
  await measure('short and other domains', sets['short and other domains'], shares)
  if (all) {
    const rare = rareExtractor(transcripts)
    const rareCuts = codingSet.flatMap((one) => cutsOf(one, rare, () => 3))
    await measure('coding, "rare"', rareCuts, shares, false)
  }
  console.table(rows.map(tableRow))
  for (const { kinds, domains, set } of rows.filter((row) => row.strategy === ours && row.budget === '25 %')) {
    console.log(`${set} at 25 %, share still there by kind: ${list(kinds)}; by domain: ${list(domains)}`)
  }
  console.log('The contexts as texts (definitions: requests.ts, findings.ts, outlines.ts, pointers.ts, whole-lines.ts, tail.ts, false-statements.ts):')
  console.table(rows.filter((row) => row.account !== undefined).map(accountRow))
  const texts = await measureTexts({
    strategies: Object.fromEntries(strategies.filter(([name]) => readable.includes(name))),
    ours,
    shares,
    sets,
    fullnessShares: published ? shares.slice(1, 3) : [0.25],
    sessions: published ? { facts: 12, words: 2 } : { facts: 6, words: 1 },
  })
  printTexts(texts)
  if (command === 'store') store(storable(rows, ours, texts))
  if (command === 'gate') {
    const broken = [...fallen(storable(rows, ours, texts)), ...(await brokenGates(asked, sets.coding, sets['short and other domains']))]
    for (const line of broken) console.error(line)
    console.log(broken.length === 0 ? 'Every gate holds.' : `${broken.length} gates broken.`)
    if (broken.length > 0) process.exitCode = 1
  }
  mkdirSync(results, { recursive: true })
  const accounts = rows.filter((row) => row.account !== undefined).map(({ sessions: _sessions, ...row }) => row)
  if (command !== 'texts') writeFileSync(resultOf(all ? 'recall.json' : 'recall-of-ours.json'), JSON.stringify(rows, null, 2))
  writeFileSync(resultOf(published ? 'texts.json' : 'texts-of-ours.json'), JSON.stringify({ accounts, ...texts }, null, 2))
  writeFileSync(resultOf('sessions.csv'), sessionsCsv(rows))
  if (all) console.log(`\nA page with plots: ${writePage(results)}`)
}
