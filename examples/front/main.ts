// One agent, three frameworks, their wires, three ways: reads sixteen files in a window of 12,000 tokens, then is asked for a fact of each.
// The provider refuses what real ones refuse. `--gate` fails where Précis is refused or dies, or where the framework sees other steps than without a limit.
import { readFile, writeFile } from 'node:fs/promises'
import { recallModel, strictProvider } from '@precis/testkit'
import { aiSdks } from './ai-sdk.ts'
import { type Front, limits, type Way } from './front.ts'
import { langchains } from './langchain.ts'
import { openaiAgents } from './openai-agents.ts'
import { questionOf, task, vaultScenario, vaults } from './vaults.ts'

async function run(front: Front, way: Way, window: number, cautious = false) {
  const reader = recallModel(vaultScenario, {
    looksUp: 'precis_recall',
    cautious,
  })
  const provider = await strictProvider({
    window,
    maxOutput: limits.maxOutput,
    model: reader,
  })
  const chat = front.chat(way, provider.url)
  let right = 0
  let died = false
  try {
    await chat.ask(task)
    for (const vault of vaults)
      if ((await chat.ask(questionOf(vault))).endsWith(vault.code)) right++
  } catch {
    died = true
  }
  await provider.close()
  const { requests } = provider
  const refused = requests.filter(({ status }) => status !== 200).length
  const billed = requests.reduce(
    (sum, { inputTokens, status }) => sum + (status === 200 ? inputTokens : 0),
    0,
  )
  return {
    died,
    right,
    refused,
    billed,
    requests: requests.length,
    steps: chat.steps(),
  }
}

const rows: string[][] = []
const readers: string[][] = []
const faults: string[] = []
for (const front of [...aiSdks, ...langchains, ...openaiAgents]) {
  const free = await run(front, 'bare', 1_000_000)
  const ways: readonly (readonly [string, Way])[] = [
    ['nothing', 'bare'],
    ...(front.means === undefined ? [] : [[front.means, 'means'] as const]),
    ['`withCompaction`', 'precis'],
  ]
  for (const [name, way] of ways) {
    const { died, right, refused, billed, requests, steps } = await run(
      front,
      way,
      limits.contextWindow,
    )
    rows.push([
      front.name,
      name,
      died ? `died at request ${requests}` : 'yes',
      `${right} of ${vaults.length}`,
      `${refused}`,
      `${requests}`,
      billed.toLocaleString('en-US'),
      `${steps}`,
    ])
    if (way !== 'precis') continue
    const off = await run(front, 'off', limits.contextWindow)
    const careful = await run(front, way, limits.contextWindow, true)
    const lookUps = (careful.requests - off.requests) / vaults.length
    const more = careful.billed / off.billed - 1
    readers.push([
      front.name,
      `${off.right} of ${vaults.length}`,
      `${right} of ${vaults.length}`,
      `${careful.right} of ${vaults.length}`,
      lookUps.toFixed(2),
      `${(more * 100).toFixed(0)} %`,
    ])
    if (careful.right < vaults.length * 0.85 || lookUps > 1.5)
      faults.push(
        `${front.name}: a careful reader answers ${careful.right}, ${lookUps} look-ups a fact`,
      )
    if (died || refused > 0) faults.push(`${front.name}: ${refused} refused`)
    if (steps !== free.steps)
      faults.push(
        `${front.name}: ${steps} steps, ${free.steps} without a limit`,
      )
    if (right < vaults.length)
      faults.push(`${front.name}: ${right} of ${vaults.length}`)
  }
  rows.push([
    front.name,
    'nothing, a window without end',
    'yes',
    `${free.right} of ${vaults.length}`,
    '0',
    `${free.requests}`,
    free.billed.toLocaleString('en-US'),
    `${free.steps}`,
  ])
}
const table = [
  '| framework | with | finished | answered | refused | requests | billed tokens | steps that it sees |',
  '| --- | --- | --- | --- | --: | --: | --: | --: |',
  ...rows.map((row) => `| ${row.join(' | ')} |`),
  '',
  '| framework | answered without look-ups | looks up what it does not see | looks up where the context points | look-ups a fact | more tokens than without |',
  '| --- | --: | --: | --: | --: | --: |',
  ...readers.map((row) => `| ${row.join(' | ')} |`),
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
