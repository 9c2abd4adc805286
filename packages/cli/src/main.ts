#!/usr/bin/env node
import { writeFile } from 'node:fs/promises'
import { CompactionError, renderReport } from '@precis/core'
import { Command, InvalidArgumentError, Option } from 'commander'
import type { ArchivePlace } from './archived.ts'
import { compactTranscript, planTranscript } from './compact.ts'
import { diffTranscript, renderDiff } from './diff.ts'
import { inspect, renderInspection } from './inspect.ts'
import { addMeasuring } from './measuring.ts'
import { rememberedOf, renderRemembered } from './remembered.ts'
import { readTranscripts, type Transcript, TranscriptError } from './transcript.ts'

interface Flags extends ArchivePlace {
  readonly offset?: number
  readonly limit?: number
  readonly json?: boolean
  readonly window: number
  readonly focus?: string
  readonly out?: string
}

const tokens = (text: string): number => {
  const value = Number(text.replaceAll('_', ''))
  if (!Number.isInteger(value) || value < 500) throw new InvalidArgumentError('Expected whole tokens, at least 500.')
  return value
}
const windowOption = (): Option => new Option('-w, --window <tokens>', 'window of the model that will go on').default(200_000).argParser(tokens)
const jsonOption = (): Option => new Option('--json', 'print JSON')

const program = new Command('compactctl')
  .description('Looks at agent transcripts, plans their compaction, compacts them, and finds again what left. <file> may be - for standard input.')
  .showHelpAfterError()
  .exitOverride()

program
  .command('inspect <file>')
  .description('where the tokens are: by role, by tool, largest outputs')
  .addOption(jsonOption())
  .action(async (file: string, flags: Flags) => {
    const found = (await readTranscripts(file)).map(inspect)
    print(flags, found, () => found.map(renderInspection).join('\n\n'))
  })

program
  .command('plan <file>')
  .description('what a compaction would do; changes nothing')
  .addOption(windowOption())
  .addOption(jsonOption())
  .action(async (file: string, flags: Flags) => {
    const plans = (await readTranscripts(file)).map((transcript) => ({ name: transcript.name, plan: planTranscript(transcript, flags) }))
    print(flags, plans, () =>
      plans
        .map(
          ({ name, plan }) =>
            `${name}: ${plan.decision.action}, ${plan.tokens.before} → at most ${plan.tokens.after} tokens; keep ${plan.keep.length}, shorten ${plan.edits.length}, summarise ${plan.summarise.length}, drop ${plan.drop.length}`,
        )
        .join('\n'),
    )
  })

program
  .command('diff <file>')
  .description('before and after, message by message; changes nothing')
  .addOption(windowOption())
  .option('-f, --focus <text>', 'what the summary shall dwell on')
  .addOption(jsonOption())
  .action(async (file: string, flags: Flags) => {
    const diffs = await Promise.all(
      (await readTranscripts(file)).map(async (transcript) => diffTranscript(transcript, await compactTranscript(transcript, settingsOf(flags)))),
    )
    print(flags, diffs, () => diffs.map((found) => renderDiff(found, process.stdout.isTTY && process.env['NO_COLOR'] === undefined)).join('\n\n'))
  })

program
  .command('remembered <file>')
  .description('what a model with this window would be shown, layer by layer')
  .addOption(windowOption())
  .addOption(jsonOption())
  .action(async (file: string, flags: Flags) => {
    const found = await Promise.all((await readTranscripts(file)).map((transcript) => rememberedOf(transcript, settingsOf(flags))))
    print(flags, found, () => found.map(renderRemembered).join('\n\n'))
  })

program
  .command('compact <file>')
  .description('writes the compacted conversation to a new file, or to standard output')
  .addOption(windowOption())
  .option('-f, --focus <text>', 'what the summary shall dwell on')
  .option('-o, --out <file>', 'where to write; must not exist')
  .addOption(jsonOption())
  .action(async (file: string, flags: Flags) => {
    const transcripts = await readTranscripts(file)
    const [transcript] = transcripts
    if (transcript === undefined || transcripts.length > 1) throw new TranscriptError(`${file} holds ${transcripts.length} conversations; compact takes one.`)
    await compactOne(transcript, flags)
  })

const placed = (command: Command): Command =>
  command
    .option('-r, --root <folder>', 'folder of the archive (default: .precis)')
    .addOption(new Option('-c, --config <file>', 'a configuration that names the storage').conflicts('root'))
    .addOption(jsonOption())
const count = (text: string): number => {
  const value = Number(text)
  if (!Number.isInteger(value) || value < 0) throw new InvalidArgumentError('Expected a whole number, not below 0.')
  return value
}

placed(program.command('sessions'))
  .description('what an archive holds')
  .action(async (flags: Flags) => {
    const { listSessions } = await import('./archived.ts')
    const found = await listSessions(flags)
    print(flags, found, () =>
      found.length === 0
        ? 'The archive is empty.'
        : found
            .map((one) => `${one.session}  ${one.messages} messages, ${one.compactions} compactions${one.last === null ? '' : `, last ${one.last}`}`)
            .join('\n'),
    )
  })

placed(program.command('restore <session>'))
  .description('writes the conversation as it was before anything left it')
  .option('-o, --out <file>', 'where to write; must not exist')
  .action(async (session: string, flags: Flags) => {
    const { restoreSession } = await import('./archived.ts')
    const lines = `${(await restoreSession(session, flags)).map((message) => JSON.stringify(message)).join('\n')}\n`
    if (flags.out === undefined) process.stdout.write(lines)
    else await writeFile(flags.out, lines, { flag: 'wx' })
  })

placed(program.command('recall <session> [query]'))
  .description('searches what is on record, or pages through it')
  .option('--offset <number>', 'first message to show or search', count)
  .option('--limit <number>', 'most messages or lines to show', count)
  .action(async (session: string, query: string | undefined, flags: Flags) => {
    const { recallFrom } = await import('./archived.ts')
    const { offset, limit } = flags
    const text = await recallFrom(session, flags, {
      ...(query !== undefined && { query }),
      ...(offset !== undefined && { offset }),
      ...(limit !== undefined && { limit }),
    })
    print(flags, { session, text }, () => text)
  })

placed(program.command('rewind <session> [checkpoint]'))
  .description('forgets the newest compaction, or the named one and all after it; messages are not touched')
  .action(async (session: string, checkpoint: string | undefined, flags: Flags) => {
    const { rewindSession } = await import('./archived.ts')
    const done = await rewindSession(session, flags, checkpoint)
    print(flags, done, () => `${done.forgotten} forgotten; ${done.newest === null ? 'nothing is compacted now' : `the newest is ${done.newest}`}`)
  })

addMeasuring(program, tokens)

async function compactOne(transcript: Transcript, flags: Flags): Promise<void> {
  const { messages, report } = await compactTranscript(transcript, settingsOf(flags))
  const lines = `${messages.map((message) => JSON.stringify(message)).join('\n')}\n`
  // Written whole or not at all: `wx` fails where a file exists, and one write is one call.
  if (flags.out !== undefined) await writeFile(flags.out, lines, { flag: 'wx' })
  else if (flags.json !== true) process.stdout.write(lines)
  if (flags.json === true) process.stdout.write(`${JSON.stringify(report)}\n`)
  else process.stderr.write(`${renderReport(report)}\n`)
}

function settingsOf({ window, focus }: Flags): { readonly window: number; readonly focus?: string } {
  return { window, ...(focus !== undefined && { focus }) }
}

function print(flags: Flags, value: unknown, text: () => string): void {
  process.stdout.write(`${flags.json === true ? JSON.stringify(value) : text()}\n`)
}

/** 0 done, 1 the input is at fault, 2 the call is. */
program.parseAsync().catch((error: unknown) => {
  const { code, exitCode } = error as { code?: string; exitCode?: number }
  if (code?.startsWith('commander.') === true) {
    process.exitCode = exitCode === 0 ? 0 : 2
    return
  }
  const known = error instanceof TranscriptError || CompactionError.isInstance(error) || (error as Error).name === 'ConfigError'
  const text = code === 'EEXIST' ? 'The output file exists already; name another one.' : (error as Error).message
  process.stderr.write(`compactctl: ${text}${known || code !== undefined ? '' : ' (this is a bug; please report it)'}\n`)
  process.exitCode = 1
})
