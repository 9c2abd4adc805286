// One agent, three frameworks, their wires, three ways: reads sixteen files in a window of 12,000 tokens, then is asked for a fact of each; then what
// look-ups cost. The provider refuses what real ones refuse. `--gate` fails where Précis is refused or dies, where the framework sees other steps than
// without a limit, or where look-ups cost more than they may.
import { readFile, writeFile } from 'node:fs/promises'
import { recallModel, strictProvider } from '@precis/testkit'
import { aiSdks } from './ai-sdk.ts'
import { type Cost, change, costOf, count, meanMore, more } from './cost.ts'
import { type Front, limits, reading, type Way } from './front.ts'
import { langchainMiddleware, langchains } from './langchain.ts'
import { openaiAgents } from './openai-agents.ts'
import { vaultScenario, vaults } from './vaults.ts'
import { mixes, type Request, withWork } from './work.ts'

interface RunOptions {
  readonly window?: number
  /** The reader looks up only where the context names the file. */
  readonly cautious?: boolean
  readonly asked?: readonly Request[]
}

async function run(
  front: Front,
  way: Way,
  {
    window = limits.contextWindow,
    cautious = false,
    asked = mixes[0]?.[1] ?? [],
  }: RunOptions = {},
) {
  const reader = recallModel(vaultScenario, {
    looksUp: 'precis_recall',
    cautious,
  })
  const provider = await strictProvider({
    window,
    maxOutput: limits.maxOutput,
    model: withWork(reader),
  })
  const chat = front.chat(way, provider.url, {
    ...reading,
    limits: { ...limits, contextWindow: window },
  })
  let right = 0
  let died = false
  try {
    for (const { content, code } of asked) {
      const answer = await chat.ask(content)
      if (code !== undefined && answer.endsWith(code)) right++
    }
  } catch {
    died = true
  }
  await provider.close()
  const { requests } = provider
  return {
    died,
    right,
    refused: requests.filter(({ status }) => status !== 200).length,
    ...costOf(requests),
    requests: requests.length,
    ...chat.seen(),
  }
}

/**
 * Bytes that a framework sees more or fewer than without a limit, where counts of tokens and what a thread remembers are others; look-ups for each fact; and what recall may add where one call in four is a question: to the prompt tokens through each door, and in other words, where each is a
 * look-up, to the bill: through each door, and on average.
 */
const most = {
  bytes: 0.02,
  lookUps: 1.5,
  prompt: 0.1,
  billed: 0.12,
  meanBilled: 0.1,
  unanswered: 0.15,
}
/**
 * The windows in which look-ups are paid for, in Tokens. Where in its cycle of compactions a question comes is another in each: in one alone, a prompt
 * that is a little longer or shorter is an eighth of the whole.
 */
const windows = [-1_000, 0, 1_000].map((by) => limits.contextWindow + by)
const kilobytes = (bytes: number): string => `${Math.round(bytes / 1_000)} kB`
const outOf = (right: number, times = 1): string =>
  `${right} of ${vaults.length * times}`

const rows: string[][] = []
const readers = mixes.map((): string[][] => [])
const costs = mixes.map((): [off: Cost, careful: Cost][] => [])
const faults: string[] = []
for (const front of [
  ...aiSdks,
  ...langchains,
  langchainMiddleware,
  ...openaiAgents,
]) {
  const free = await run(front, 'bare', { window: 1_000_000 })
  const ways: readonly (readonly [string, Way])[] = [
    ['nothing', 'bare'],
    ...(front.means === undefined ? [] : [[front.means, 'means'] as const]),
    [front.line ?? '`withCompaction`', 'precis'],
  ]
  for (const [name, way] of ways) {
    const { died, right, refused, requests, prompt, steps, bytes } = await run(
      front,
      way,
    )
    rows.push([
      front.name,
      name,
      died ? `died at request ${requests}` : 'yes',
      outOf(right),
      `${refused}`,
      `${requests}`,
      count(prompt),
      `${steps}`,
      kilobytes(bytes),
    ])
    if (way !== 'precis') continue
    if (died || refused > 0) faults.push(`${front.name}: ${refused} refused`)
    if (steps !== free.steps)
      faults.push(
        `${front.name}: ${steps} steps, ${free.steps} without a limit`,
      )
    if (Math.abs(bytes / free.bytes - 1) > most.bytes)
      faults.push(
        `${front.name}: ${bytes} bytes, ${free.bytes} without a limit`,
      )
    if (right < vaults.length) faults.push(`${front.name}: ${outOf(right)}`)
  }
  for (const [at, [mix, asked]] of mixes.entries()) {
    const all = await run(front, 'precis', { asked })
    const paid: Record<'off' | 'precis', Awaited<ReturnType<typeof run>>[]> = {
      off: [],
      precis: [],
    }
    for (const window of windows)
      for (const way of ['off', 'precis'] as const)
        paid[way].push(
          await run(front, way, { asked, window, cautious: way === 'precis' }),
        )
    const [before, after] = [sumOf(paid.off), sumOf(paid.precis)]
    const lookUps =
      (after.requests - before.requests) / vaults.length / windows.length
    readers[at]?.push([
      front.name,
      `${outOf(before.right, windows.length)}, ${outOf(all.right)}`,
      outOf(after.right, windows.length),
      lookUps.toFixed(2),
      change(before.prompt, after.prompt),
      change(before.billed, after.billed),
    ])
    costs[at]?.push([before, after])
    if (all.right < vaults.length)
      faults.push(`${front.name}, ${mix}: ${outOf(all.right)}`)
    if (after.right < vaults.length * windows.length * (1 - most.unanswered))
      faults.push(
        `${front.name}, ${mix}: a careful one ${outOf(after.right, windows.length)}`,
      )
    if (lookUps > most.lookUps)
      faults.push(`${front.name}, ${mix}: ${lookUps} look-ups a fact`)
  }
  rows.push([
    front.name,
    'nothing, a window without end',
    'yes',
    outOf(free.right),
    '0',
    `${free.requests}`,
    count(free.prompt),
    `${free.steps}`,
    kilobytes(free.bytes),
  ])
}
/** What runs in several windows make together. */
function sumOf(runs: readonly Awaited<ReturnType<typeof run>>[]) {
  const sum = { prompt: 0, billed: 0, requests: 0, right: 0 }
  for (const one of runs)
    for (const what of ['prompt', 'billed', 'requests', 'right'] as const)
      sum[what] += one[what]
  return sum
}
/** What look-ups add through each door. */
const added = (at: number, what: keyof Cost): readonly [number, number][] =>
  (costs[at] ?? []).map(([off, careful]) => [off[what], careful[what]])
for (const [at, what] of [
  [1, 'prompt'],
  [2, 'billed'],
] as const)
  for (const [door, pair] of added(at, what).entries())
    if (meanMore([pair]) > most[what])
      faults.push(
        `${readers[at]?.[door]?.[0]}, ${mixes[at]?.[0]}: ${what} ${more([pair])}`,
      )
const bill = added(2, 'billed')
if (meanMore(bill) > most.meanBilled)
  faults.push(`look-ups add to the bill on average: ${more(bill)}`)
const table = [
  '| framework | with | finished | answered | refused | requests | prompt tokens | steps that it sees | what they say |',
  '| --- | --- | --- | --- | --: | --: | --: | --: | --: |',
  ...rows.map((row) => `| ${row.join(' | ')} |`),
  ...mixes.flatMap(([mix], at) => [
    '',
    `**${mix}.**`,
    '',
    '| framework | answered without recall, and by who looks everything up | by who looks up where the context points | look-ups a fact | prompt tokens without recall → with | at cache prices |',
    '| --- | --: | --: | --: | --: | --: |',
    ...(readers[at] ?? []).map((row) => `| ${row.join(' | ')} |`),
    `| **on average** | | | | ${more(added(at, 'prompt'))} | ${more(added(at, 'billed'))} |`,
  ]),
].join('\n')
console.log(table)
if (process.argv.includes('--write') || process.argv.includes('--gate')) {
  const page = new URL('../../docs/evidence.md', import.meta.url)
  const text = await readFile(page, 'utf8')
  const between = /(<!-- front -->\n)([\s\S]*?)(<!-- \/front -->)/
  const bare = (some: string): string => some.replace(/[ \n-]+/g, '')
  if (process.argv.includes('--write'))
    await writeFile(
      page,
      text.replace(
        between,
        (_, start: string, _old: string, end: string) =>
          `${start}\n${table}\n\n${end}`,
      ),
    )
  else if (bare(between.exec(text)?.[2] ?? '') !== bare(table))
    faults.push(
      'docs/evidence.md shows other figures: node scripts/run.mjs bench:front --write',
    )
}
for (const fault of faults) console.log(fault)
process.exit(process.argv.includes('--gate') && faults.length > 0 ? 1 : 0)
