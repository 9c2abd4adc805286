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
import { bad, good, legend, strong, table } from './view.ts'

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
  console.log(
    `An agent reads this repository through a strict provider with a window of ${window.toLocaleString('en')} tokens.\n${legend}\n`,
  )
  console.log(strong('Bare'))
  const bare = await runAgent('bare', false)
  console.log(`\n${strong('With Précis')}`)
  const precis = await runAgent('précis', true)
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
          'Bare is dead; Précis finished, with every fact recalled and no request refused.',
        )
      : bad('This is not what the demo promises.'),
  )
  if (!passed) process.exitCode = 1
  const page = process.argv
    .find((argument) => argument.startsWith('--report='))
    ?.slice('--report='.length)
  if (page !== undefined)
    await writeReport(precis, resolve(process.env['PRECIS_CWD'] ?? '.', page))
  const real = realModel()
  if (real === undefined) return
  if (process.argv.includes('--real')) await runRealModel(real)
  else
    console.log(
      `\n${real.name} is configured: npm run demo -- --real runs the session on it (this costs tokens).`,
    )
}

/** `--report=demo.html`: the session as a page, context over time. */
async function writeReport({ history }: Outcome, path: string): Promise<void> {
  const transcripts = parseTranscripts(
    history.map((message) => JSON.stringify(message)).join('\n'),
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
    ['', 'bare', 'Précis'],
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
    row('requests refused', (outcome) =>
      number(
        outcome.provider.requests.filter((request) => request.status !== 200)
          .length,
      ),
    ),
    row('invalid requests', (outcome) => number(invalid(outcome))),
    row(
      'facts recalled',
      (outcome) => `${outcome.recalled} of ${questions.length}`,
    ),
    row(
      'prompt cache share',
      (outcome) => `${Math.round((100 * cached(outcome)) / billed(outcome))} %`,
    ),
    row('tokens sent', (outcome) => number(billed(outcome))),
  ])
}

function answered(outcome: Outcome): Outcome['provider']['requests'] {
  return outcome.provider.requests.filter((request) => request.status === 200)
}
function billed(outcome: Outcome): number {
  return answered(outcome).reduce(
    (sum, request) => sum + request.inputTokens,
    0,
  )
}
function cached(outcome: Outcome): number {
  return answered(outcome).reduce(
    (sum, request) => sum + request.cachedTokens,
    0,
  )
}
function invalid(outcome: Outcome): number {
  return outcome.provider.requests.reduce(
    (sum, request) => sum + request.violations.length,
    0,
  )
}
