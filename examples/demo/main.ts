import { writeFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import {
  compactTranscript,
  parseTranscripts,
  readTranscripts,
  renderPage,
  reportData,
  TranscriptError,
} from '@precis/cli'
import { renderReport } from '@precis/core'
import { type Outcome, runAgent, window } from './agent.ts'
import { realModel, runRealModel } from './real-model.ts'
import { questions } from './scenario.ts'
import { atLength, inShort } from './show.ts'
import { bad, good, picture, strong, table } from './view.ts'

globalThis.AI_SDK_LOG_WARNINGS = false

const [file] = process.argv
  .slice(2)
  .filter((argument) => argument !== '--' && !argument.startsWith('--'))
// Scripts run in their package's folder; the file was named where the user stands.
if (file !== undefined)
  await compactFile(resolve(process.env['PRECIS_CWD'] ?? '.', file))
else await sideBySide()

/** Compacts a transcript of the user's and prints the receipts. */
async function compactFile(path: string): Promise<void> {
  try {
    for (const transcript of await readTranscripts(path)) {
      const { report } = await compactTranscript(transcript, {
        window: Number(process.env['PRECIS_WINDOW'] ?? 64_000),
      })
      console.log(
        `${strong(transcript.name)} (${transcript.format}, ${transcript.messages.length} messages)\n${renderReport(report)}\n`,
      )
    }
  } catch (error) {
    if (!(error instanceof TranscriptError)) throw error
    console.error(error.message)
    process.exitCode = 1
  }
}

async function sideBySide(): Promise<void> {
  const show = process.argv.includes('--verbose') ? atLength() : inShort()
  console.log(
    `An agent reads this repository through a provider as strict as the real ones.\nIts window holds ${window.toLocaleString('en')} tokens.\n`,
  )
  show.begin('Without Précis')
  const bare = await runAgent(false, show)
  console.log()
  show.begin('With Précis')
  const precis = await runAgent(true, show)
  const prompts = answered(precis).map((request) => request.inputTokens)
  console.log(`\n${picture(prompts, window, bare.provider.requests.length)}`)
  console.log(`\n${closingTable(bare, precis)}\n`)
  const passed =
    !bare.finished &&
    precis.finished &&
    precis.recalled === questions.length &&
    invalid(precis) === 0 &&
    precis.session >= 5 * window
  console.log(
    passed
      ? good(
          'Without Précis the agent is dead; with it, it finished: every fact recalled, no request refused.',
        )
      : bad('This is not what the demo promises.'),
  )
  if (!passed) process.exitCode = 1
  const json = option('json')
  if (json !== undefined)
    await writeFile(
      json,
      JSON.stringify({ bare: figures(bare), precis: figures(precis) }),
    )
  const session = option('session')
  if (session !== undefined) await writeFile(session, linesOf(precis))
  const page = option('report')
  if (page !== undefined) await writeReport(precis, page)
  const real = realModel()
  if (real === undefined) return
  if (process.argv.includes('--real')) await runRealModel(real)
  else
    console.log(
      `\n${real.name} is configured: npm run demo -- --real runs the session on it (this costs tokens).`,
    )
}

/** The path behind `--name=`, from where the user stands. */
function option(name: string): string | undefined {
  const found = process.argv.find((one) => one.startsWith(`--${name}=`))
  return found === undefined
    ? undefined
    : resolve(
        process.env['PRECIS_CWD'] ?? '.',
        found.slice(name.length + '--='.length),
      )
}

/** `--json=demo.json`: what documents say about the run. */
function figures(outcome: Outcome): Readonly<Record<string, unknown>> {
  return {
    ended: outcome.finished ? 'finished' : 'dead',
    steps: outcome.steps,
    windows: outcome.session / window,
    compactions: outcome.compactions,
    refused: refused(outcome),
    invalid: invalid(outcome),
    recalled: `${outcome.recalled} of ${questions.length}`,
    cached: cachedShare(outcome),
  }
}

/** `--session=demo.jsonl`: the whole conversation, a message in each line. */
function linesOf({ history }: Outcome): string {
  return history.map((message) => JSON.stringify(message)).join('\n')
}

/** `--report=demo.html`: the session as a page, context over time. */
async function writeReport(outcome: Outcome, path: string): Promise<void> {
  const transcripts = parseTranscripts(
    linesOf(outcome),
    'The agent of the demo',
  )
  await writeFile(
    path,
    renderPage(
      await Promise.all(transcripts.map((one) => reportData(one, { window }))),
    ),
  )
  console.log(`\nThe session as a page: ${path}`)
}

function closingTable(bare: Outcome, precis: Outcome): string {
  const row = (
    name: string,
    value: (outcome: Outcome) => string,
  ): readonly string[] => [name, value(bare), value(precis)]
  const number = (value: number): string => value.toLocaleString('en')
  return table([
    ['', 'without', 'Précis'],
    row('ended', (outcome) => (outcome.finished ? 'finished' : 'dead')),
    row('steps', (outcome) => number(outcome.steps)),
    row('largest prompt (tokens)', (outcome) =>
      number(
        Math.max(
          ...outcome.provider.requests.map((request) => request.inputTokens),
        ),
      ),
    ),
    row('session (times the window)', (outcome) =>
      (outcome.session / window).toFixed(1),
    ),
    row('compactions', (outcome) => number(outcome.compactions)),
    row('requests refused', (outcome) => number(refused(outcome))),
    row('invalid requests', (outcome) => number(invalid(outcome))),
    row(
      'facts recalled',
      (outcome) => `${outcome.recalled} of ${questions.length}`,
    ),
    row('prompt cache share', cachedShare),
    row('tokens sent', (outcome) => number(billed(outcome))),
  ])
}

function answered(outcome: Outcome): Outcome['provider']['requests'] {
  return outcome.provider.requests.filter((request) => request.status === 200)
}
function refused(outcome: Outcome): number {
  return outcome.provider.requests.filter((request) => request.status !== 200)
    .length
}
function billed(outcome: Outcome): number {
  return answered(outcome).reduce(
    (sum, request) => sum + request.inputTokens,
    0,
  )
}
/** Of the tokens sent, how many the provider's prompt cache served. */
function cachedShare(outcome: Outcome): string {
  const cached = answered(outcome).reduce(
    (sum, request) => sum + request.cachedTokens,
    0,
  )
  return `${Math.round((100 * cached) / billed(outcome))} %`
}
function invalid(outcome: Outcome): number {
  return outcome.provider.requests.reduce(
    (sum, request) => sum + request.violations.length,
    0,
  )
}
