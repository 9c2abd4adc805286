// Speed as ratios within one run. `--gate` fails where a ratio or a growth exponent is worse than it may be, twice in a row; `--mastra` fetches one more peer.

import { spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  builtInEstimator,
  createCompactor,
  createTokenMemo,
  excerptsByName,
  initialState,
  type Message,
  type PlanInput,
  planCompaction,
  presets,
  recordOf,
} from '@precis/core'
import { neutralCodec } from '@precis/testkit'
import { estimatorErrors } from './estimator-error.ts'
import { collect, historyOf, memoryShare } from './histories.ts'
import { mastraPeers } from './mastra.ts'
import { peers } from './peers.ts'
import { lengthOverFour } from './reference.ts'

const gate = process.argv.includes('--gate')
const sizes = [500, 1_000, 2_000, 4_000, 8_000, 16_000]

/** The best of several runs, in milliseconds: what disturbs a run only ever slows it; `prepare` is not timed. */
function time<T>(prepare: () => T, run: (value: T) => unknown, rounds = 7): number {
  const times: number[] = []
  for (let round = 0; round < rounds; round++) {
    const value = prepare()
    const start = performance.now()
    run(value)
    times.push(performance.now() - start)
  }
  return Math.min(...times)
}

const inputFor = (messages: readonly Message[]): PlanInput => ({
  messages,
  tokens: createTokenMemo(builtInEstimator),
  estimator: builtInEstimator,
  excerpts: excerptsByName,
  policy: presets.balanced,
  limits: { contextWindow: 100_000 },
  overhead: { system: 0, tools: 0, memory: 0 },
  state: initialState,
  checkpoint: undefined,
})

async function steadyState(messages: readonly Message[]): Promise<number> {
  const session = createCompactor({ codec: neutralCodec, limits: { contextWindow: 100_000_000 } }).session('bench')
  await session.beforeModelCall(messages)
  const times: number[] = []
  for (let round = 0; round < 15; round++) {
    const start = performance.now()
    await session.beforeModelCall(messages)
    times.push(performance.now() - start)
  }
  return times.sort((a, b) => a - b)[7] ?? 0
}

/** Share of a session's time, in percent, that is ours: 2,000 messages, a compaction now and then, a model that answers in 200 ms. */
async function sessionOverhead(): Promise<number> {
  const messages = historyOf(2_000)
  const session = createCompactor({ codec: neutralCodec, limits: { contextWindow: 64_000 } }).session('overhead')
  let [spent, calls] = [0, 0]
  for (const [at, message] of messages.entries()) {
    if (message.role !== 'assistant' || at === 0) continue
    const history = messages.slice(0, at)
    const start = performance.now()
    await session.beforeModelCall(history)
    spent += performance.now() - start
    calls++
  }
  return (100 * spent) / (calls * 200)
}

/** Slope of log(time) over log(size): 1 is linear. */
function growth(times: readonly number[], of: readonly number[] = sizes): number {
  const points = times.map((value, at) => [Math.log(of[at] ?? 1), Math.log(value)] as const)
  const mean = (index: 0 | 1): number => points.reduce((sum, point) => sum + point[index], 0) / points.length
  const [mx, my] = [mean(0), mean(1)]
  return points.reduce((sum, [x, y]) => sum + (x - mx) * (y - my), 0) / points.reduce((sum, [x]) => sum + (x - mx) ** 2, 0)
}

interface Row {
  readonly messages: number
  readonly tokens: number
  readonly 'length/4 (ms)': number
  readonly 'plan, cold (ms)': number
  readonly 'plan, warm (ms)': number
  readonly 'nothing to do (ms)': number
  readonly 'record (ms)': number
}

const elsewhere = new Float64Array(8_000_000)

/** A history as it lies in a real process: not among the newest objects, which the collector still moves, and not in the processor's caches. */
function settled(sample: readonly Message[]): readonly Message[] {
  const messages = structuredClone(sample)
  collect({ type: 'minor' })
  collect({ type: 'minor' })
  elsewhere.fill(elsewhere.length)
  return messages
}

interface Cold {
  readonly sample: readonly Message[]
  readonly run: (messages: readonly Message[]) => unknown
}

/** Several things in turn, each on a history that was not looked at before: what disturbs the machine for a moment meets one round of each, and not all of one. */
function coldTimes(all: readonly Cold[], rounds: number): number[] {
  const times = Array.from({ length: rounds }, () => all.map(({ sample, run }) => time(() => settled(sample), run, 1)))
  return all.map((_, at) => Math.min(...times.map((round) => round[at] ?? Number.POSITIVE_INFINITY)))
}

const planned = (messages: readonly Message[]): unknown => planCompaction(inputFor(messages))
const estimated = (messages: readonly Message[]): unknown => textsOf(messages).map((text) => builtInEstimator.count(text))

// First: what later measurements leave behind would count. The code itself is loaded, and compiled for a history of this size, before.
await memoryShare(8_000)
const shares = [await memoryShare(8_000), await memoryShare(8_000), await memoryShare(8_000)]
const share = shares.toSorted((a, b) => a - b)[1] as number
const samples = sizes.map(historyOf)
/** Messages of the history that the ratios are of. */
const usual = 4_000
const coldly: readonly Cold[] = [...samples.map((sample) => ({ sample, run: planned })), { sample: samples[sizes.indexOf(usual)] ?? [], run: estimated }]
coldTimes(coldly, 2)
const cold = coldTimes(coldly, 40)
const rows: Row[] = []
for (const [at, sample] of samples.entries()) {
  const memo = inputFor(sample)
  planCompaction(memo)
  rows.push({
    messages: sample.length,
    tokens: Math.round(sample.reduce((sum, message) => sum + memo.tokens.of(message), 0)),
    'length/4 (ms)': time(() => sample, lengthOverFour),
    'plan, cold (ms)': cold[at] ?? Number.NaN,
    'plan, warm (ms)': time(
      () => sample,
      () => planCompaction(memo),
    ),
    'nothing to do (ms)': await steadyState(sample),
    'record (ms)': time(
      () => sample,
      (messages) => recordOf(messages, [...messages.keys()], { budget: 20_000, requests: 2_000, estimator: builtInEstimator, already: '' }),
      3,
    ),
  })
}
console.table(
  rows.map((row) => Object.fromEntries(Object.entries(row).map(([name, value]) => [name, name.endsWith('(ms)') ? Number(value.toFixed(3)) : value]))),
)

const text = textsOf(historyOf(usual)).join('\n')
const estimating = time(
  () => text,
  (value) => builtInEstimator.count(value),
)
const column = (name: keyof Row): readonly number[] => rows.map((row) => row[name])
const at4000 = rows[sizes.indexOf(usual)]
const results = {
  'estimator (MB/s)': text.length / 1e6 / (estimating / 1_000),
  'cold plan at 4,000 messages (ms)': at4000?.['plan, cold (ms)'] ?? Number.NaN,
  'cold plan at 4,000 messages ÷ length/4': (at4000?.['plan, cold (ms)'] ?? Number.NaN) / (at4000?.['length/4 (ms)'] ?? Number.NaN),
  'cold plan ÷ estimating alone': (at4000?.['plan, cold (ms)'] ?? Number.NaN) / (cold[sizes.length] ?? Number.NaN),
  'growth of the cold plan (exponent)': growth(column('plan, cold (ms)')),
  'growth of the record (exponent)': growth(column('record (ms)')),
  'nothing to do, 4,000 messages (ms)': at4000?.['nothing to do (ms)'] ?? Number.NaN,
  'session overhead, 200 ms model (%)': await sessionOverhead(),
  'memory beside the history (share)': share,
}
for (const [name, value] of Object.entries(results)) console.log(`${name.padEnd(38)} ${value.toFixed(2)}`)

console.log('\nplanning the same histories down to 100,000 tokens, in milliseconds, and how the time grows')
// Three of them take half a minute each at 4,000 messages: not with every change.
const peerSizes = gate ? [500, 1_000, 2_000] : [500, 1_000, 2_000, 4_000]
const largest = peerSizes.at(-1) as number
const more = process.argv.includes('--mastra') ? await mastraPeers() : []
const peerRows: Record<string, string | number>[] = []
for (const { name, run } of [
  { name: 'Précis, cold plan', run: (messages: readonly Message[]) => () => planCompaction(inputFor(messages)) },
  ...peers,
  ...more,
]) {
  const row: Record<string, string | number> = { who: name }
  const times: number[] = []
  for (const size of peerSizes) {
    const sample = historyOf(size)
    const spent: number[] = []
    for (let round = 0; round < 3; round++) {
      const once = run(structuredClone(sample), 100_000)
      const start = performance.now()
      await once()
      spent.push(performance.now() - start)
      if ((spent[0] ?? 0) > 1_000) break
    }
    times.push(spent.sort((a, b) => a - b)[spent.length >> 1] ?? 0)
    row[size] = Number((times.at(-1) ?? 0).toFixed(1))
  }
  row[`÷ Précis at ${largest.toLocaleString('en')}`] = Number((Number(row[largest]) / Number(peerRows[0]?.[largest] ?? row[largest])).toFixed(1))
  row['exponent'] = Number(growth(times, peerSizes).toFixed(2))
  peerRows.push(row)
}
console.table(peerRows)

const folder = join(import.meta.dirname, 'results')
mkdirSync(folder, { recursive: true })
writeFileSync(join(folder, 'bench.json'), JSON.stringify({ rows, results, peers: peerRows }, null, 2))

console.log('\nthe built-in estimator against o200k_base')
console.table(estimatorErrors())

if (gate) {
  const broken = [
    results['growth of the cold plan (exponent)'] > 1.1 && 'the plan grows faster than linear',
    results['growth of the record (exponent)'] > 1.1 && 'the record grows faster than linear',
    results['cold plan ÷ estimating alone'] > 3 && 'planning costs more than three times the counting',
    results['memory beside the history (share)'] > 0.3 && 'a session holds more beside its history than it did',
  ].filter((found) => found !== false)
  for (const found of broken) console.error(found)
  // Once more before it fails: on a machine with other work one run says little.
  const again = [...process.execArgv, ...process.argv.slice(1), '--again']
  if (broken.length > 0) process.exitCode = process.argv.includes('--again') ? 1 : (spawnSync(process.execPath, again, { stdio: 'inherit' }).status ?? 1)
}

function textsOf(messages: readonly Message[]): readonly string[] {
  return messages.flatMap((message) => message.parts.map((part) => ('text' in part ? part.text : 'output' in part ? part.output : '')))
}
