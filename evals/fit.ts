// `npm run evals -- fit`: the numbers that were fitted, judged on repositories and months that were held out; fails where they lose more than two points.
// `--widths` chooses the lengths of lines and stretches anew too (minutes); `--write` fits the weights of names on everything and writes them into the library.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

// What is varied must be known before the library is loaded.
await import('./fit/vary.ts')
const { gapsOfNames, gapsOfWidths, meanGap, mostGap } = await import('./fit/held-out.ts')
const { regress, ridge, samplesOf } = await import('./fit/fit-names.ts')
const { readTranscripts } = await import('./sessions/transcripts.ts')

const transcripts = readTranscripts()
const results = join(import.meta.dirname, 'results')
const given = (flag: string): boolean => process.argv.includes(flag)
if (transcripts.length === 0)
  console.log('No transcripts were found. Set PRECIS_TRANSCRIPTS to a folder of recorded sessions (JSON Lines); nothing was fitted.')
else if (given('--write')) write()
else await judge()

async function judge(): Promise<void> {
  const gaps: Awaited<ReturnType<typeof gapsOfNames>>[number][] = []
  for (const part of given('--widths') ? [gapsOfNames, gapsOfWidths] : [gapsOfNames]) {
    const found = await part(transcripts)
    console.table(found)
    gaps.push(...found)
    mkdirSync(results, { recursive: true })
    writeFileSync(join(results, 'held-out.json'), JSON.stringify(gaps, null, 2))
  }
  const wide = gaps.filter(({ gap }) => gap > mostGap)
  for (const { what, set, heldOut, budget, gap } of wide)
    console.error(`${what}, ${set} at ${budget}: ${gap} points are lost on ${heldOut} that were held out, at most ${mostGap} may be`)
  console.log(
    `Fitted minus held out: ${meanGap(gaps)} points in the mean; ${wide.length === 0 ? `nowhere more than ${mostGap}` : `in ${wide.length} rows more than ${mostGap}`}.`,
  )
  if (wide.length > 0) process.exitCode = 1
}

function write(): void {
  const samples = samplesOf(transcripts)
  const sessions = new Set(samples.map((sample) => sample.session)).size
  const numbers = regress(samples).map((weight) => Math.round(weight * 100) / 100)
  console.log(`${samples.length} names of ${sessions} sessions, ${samples.filter((sample) => sample.used).length} used again`)
  writeFileSync(
    join(import.meta.dirname, '../packages/core/src/record/names/name-reuse-weights.ts'),
    `/**
 * How traits of a name speak for its being used again: logistic regression on ${samples.length} names of ${sessions} public agent sessions
 * (Claude Code, pi, SWE-agent, OpenHands, tau-bench, WebDancer), each cut weighing the same and with a bias of its own, ridge ${ridge}. Made by \`npm run evals -- fit --write\`.
 */
export const reuseBias = ${numbers[0]}

/** In the order of \`traitsOf\`. */
export const reuseWeights: readonly number[] = [${numbers.slice(1).join(', ')}]
`,
  )
}
