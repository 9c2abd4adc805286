// `npm run evals -- read`: five contexts after a compaction to a quarter, as a model would read them, for a person to read. `--out=DIR` writes a file each.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { accountOf } from './measures/account.ts'
import { isFinding, statementsOf } from './measures/findings.ts'
import { collapsed } from './measures/wording.ts'
import { type Cut, cutsOf } from './sessions/cuts.ts'
import { readTranscripts, tokensOf } from './sessions/transcripts.ts'
import { precis } from './ways/strategies.ts'

const share = 0.25
/** Findings that are not there any more, shown at most. */
const mostLost = 12

/** Sentences of the assistant that a coding session has at least. */
const leastSaid = 40

/** The last cut of each session: where most had to make way. */
function lastCuts(): readonly Cut[] {
  return readTranscripts().flatMap((transcript) => cutsOf(transcript).slice(-1))
}

/** Always the same five: two coding sessions with several requests and much that was said, the most steps on one request, the longest talk with a customer, the shortest session. */
export function chosen(cuts: readonly Cut[]): readonly (readonly [name: string, cut: Cut])[] {
  const requests = ({ prefix }: Cut): number => prefix.filter(({ role }) => role === 'user').length
  const by = (some: readonly Cut[], size: (cut: Cut) => number): readonly Cut[] =>
    some.toSorted((a, b) => size(a) - size(b) || a.transcript.id.localeCompare(b.transcript.id))
  const tokens = (cut: Cut): number => cut.tokens
  const long = cuts.filter((cut) => cut.transcript.domain === 'coding' && cut.tokens >= 15_000)
  const autonomous = by(long, (cut) => -cut.prefix.length / Math.max(1, requests(cut)))[0]
  const coding = by(
    long.filter((cut) => requests(cut) >= 3 && statementsOf(cut.prefix).length >= leastSaid && cut !== autonomous),
    tokens,
  )
  const customer = by(
    cuts.filter((cut) => cut.transcript.domain === 'customer-service'),
    tokens,
  ).at(-1)
  const short = by(
    cuts.filter((cut) => cut.transcript.domain !== 'customer-service'),
    tokens,
  )[0]
  const named = [
    ['coding-1', coding[Math.floor(coding.length / 3)]],
    ['coding-2', coding[Math.floor((2 * coding.length) / 3)]],
    ['autonomous', autonomous],
    ['customer', customer],
    ['short', short],
  ] as const
  return named.flatMap(([name, cut]) => (cut === undefined ? [] : [[name, cut] as const]))
}

async function pageOf(name: string, cut: Cut): Promise<string> {
  const budget = Math.floor(cut.tokens * share)
  const output = await precis(cut, budget)
  const { texts } = output
  const percent = (value: number | undefined): string => (value === undefined ? '–' : `${Math.round(value * 100)} %`)
  const account = Object.entries(accountOf(cut, output, budget)).map(([measure, value]) => `${measure} ${percent(value)}`)
  const flat = collapsed(texts.join('\n'))
  const lost = statementsOf(cut.prefix).filter((sentence) => isFinding(sentence) && !flat.includes(sentence))
  return [
    `# ${name}: ${cut.transcript.id}, the first ${cut.prefix.length} messages of an epoch, ${cut.tokens} tokens`,
    `${texts.length} messages of ${texts.reduce((sum, text) => sum + tokensOf(text), 0)} tokens are left, of ${budget}. ${account.join(', ')}`,
    ...texts.map((text, at) => `──── message ${at + 1} of ${texts.length}, ${tokensOf(text)} tokens ────\n${text}`),
    `──── ${lost.length} findings of the assistant are not there, the newest of them: ────\n${lost.slice(-mostLost).join('\n')}`,
  ].join('\n\n')
}

const flag = process.argv.find((argument) => argument.startsWith('--out='))
const folder = flag === undefined ? undefined : resolve(process.env['PRECIS_CWD'] ?? '.', flag.slice('--out='.length))
const contexts = chosen(lastCuts())
if (contexts.length === 0) console.log('No transcripts were found. Set PRECIS_TRANSCRIPTS to a folder of recorded sessions (JSON Lines).')
for (const [name, cut] of contexts) {
  const page = await pageOf(name, cut)
  if (folder === undefined) console.log(`${page}\n`)
  else {
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, `${name}.txt`), `${page}\n`)
  }
}
if (folder !== undefined) console.log(`${contexts.length} contexts in ${folder}`)
