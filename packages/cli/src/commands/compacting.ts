import { type CompactionReport, renderReport } from '@precis/core'
import { type Command, Option } from 'commander'
import { compactTranscript } from '../compact.ts'
import { isLarge } from '../log.ts'
import { plain } from '../plain.ts'
import { onlyTranscript } from '../read-transcripts.ts'
import { noteUnfinished } from '../terminal/note.ts'
import { TranscriptError } from '../transcript-error.ts'
import { checkNew, writeNew } from '../write.ts'
import {
  type CompactFlags,
  focusOption,
  type JsonFlag,
  jsonOption,
  linesOf,
  outOption,
  print,
  rootOption,
  settingsOf,
  streamOption,
  windowOption,
  withPolicy,
} from './options.ts'
import { progressOfBytes } from './progress.ts'

interface Flags extends JsonFlag, CompactFlags {
  readonly out?: string
  readonly inPlace?: boolean
  readonly root?: string
  readonly stream?: boolean
}

export function addCompacting(program: Command): void {
  withPolicy(program.command('compact <file>'))
    .description('write the compacted conversation to a new file, or to standard output')
    .addOption(windowOption())
    .addOption(focusOption())
    .addOption(outOption().conflicts('inPlace'))
    .addOption(new Option('-i, --in-place', 'replace the file; the original is archived and kept as a .bak beside it').conflicts('stream'))
    .addOption(rootOption())
    .addOption(streamOption())
    .addOption(jsonOption())
    .addHelpText('after', '\nExample: compactctl compact session.jsonl --window 128000 --focus "the parser" --out shorter.jsonl')
    .action(async (file: string, flags: Flags) => {
      const large = flags.stream === true || (await isLarge(file))
      await (flags.inPlace === true ? replaceCompacted(file, large, flags) : writeCompacted(file, large, flags))
    })
}

async function replaceCompacted(file: string, large: boolean, flags: Flags): Promise<void> {
  if (large || file === '-')
    throw new TranscriptError(`${file === '-' ? 'Standard input' : file} cannot be replaced${large ? ': it is too large' : ''}. Name a new file: --out.`)
  const { compactInPlace } = await import('../in-place.ts')
  const { root, config } = flags
  const place = root !== undefined ? { root } : config !== undefined ? { config } : {}
  const { report, replaced } = await compactInPlace(file, await settingsOf(flags), place)
  const fate =
    replaced === undefined ? `${plain(file)} stays as it is` : `as it was: ${plain(replaced.backup)}, and under "${plain(replaced.session)}" in the archive`
  print(flags, { report, ...replaced }, () => `${renderReport(report)}\n${fate}`)
}

interface Compacted {
  readonly messages: readonly unknown[]
  readonly report: CompactionReport
}

async function writeCompacted(file: string, large: boolean, flags: Flags): Promise<void> {
  if (flags.out !== undefined) await checkNew(flags.out)
  const { messages, report }: Compacted = large
    ? await (await import('../rolling.ts')).compactLog(file, await settingsOf(flags), progressOfBytes, (line) => noteUnfinished(file, line))
    : await compactWhole(file, flags)
  if (flags.out !== undefined) await writeNew(flags.out, linesOf(messages))
  else if (flags.json !== true) process.stdout.write(linesOf(messages))
  if (flags.json === true) process.stdout.write(`${JSON.stringify(report)}\n`)
  else process.stderr.write(`${renderReport(report)}\n${mendedLines(report)}`)
}

/** What had to be mended, which counts as kept: a log that was cut may hold a result without its call. */
function mendedLines({ plan }: CompactionReport): string {
  const kinds = {
    'orphan-result': 'tool result without its call left out',
    'duplicate-call': 'repeated call left out',
    'unanswered-call': 'call without a result answered',
  }
  return Object.entries(kinds)
    .map(([kind, words]) => [plan.repairs.filter((repair) => repair.kind === kind).length, words] as const)
    .map(([count, words]) => (count === 0 ? '' : `mended: ${count} ${words}\n`))
    .join('')
}

async function compactWhole(file: string, flags: Flags): Promise<Compacted> {
  const transcript = await onlyTranscript(file)
  if (transcript.unfinished !== undefined) noteUnfinished(file, transcript.unfinished)
  const { messages, report } = await compactTranscript(transcript, await settingsOf(flags))
  return { messages: transcript.write(messages), report }
}
