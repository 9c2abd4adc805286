import { type CompactionReport, renderReport } from '@precis/core'
import { type Command, Option } from 'commander'
import { type CompactSettings, compactTranscript } from '../compact.ts'
import { plain } from '../look/plain.ts'
import { renderPlan } from '../look/render-inspection.ts'
import { noteUnfinished } from '../terminal/note.ts'
import { isLarge } from '../transcripts/log.ts'
import { onlyTranscript } from '../transcripts/read-transcripts.ts'
import { TranscriptError } from '../transcripts/transcript-error.ts'
import { checkNew, writeNew } from '../write.ts'
import { type CompactFlags, noteWindow, settingsOf } from './chosen.ts'
import {
  focusOption,
  forceOption,
  type JsonFlag,
  jsonOption,
  linesOf,
  outOption,
  print,
  rootOption,
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
    .description('write the compacted conversation to a new file, or to standard output; what fits the window stays as it is')
    .addOption(windowOption())
    .addOption(focusOption())
    .addOption(forceOption())
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
  const { compactInPlace } = await import('../archive/in-place.ts')
  const { root, config } = flags
  const place = root !== undefined ? { root } : config !== undefined ? { config } : {}
  const settings = await settingsOf(flags)
  const { report, replaced } = await compactInPlace(file, settings, place)
  noteWindow(settings)
  const fate =
    replaced === undefined ? `${plain(file)} stays as it is` : `as it was: ${plain(replaced.backup)}, and under "${plain(replaced.session)}" in the archive`
  print(flags, { report, window: settings.window, ...replaced }, () => `${outcome(report, flags)}\n${fate}`)
}

interface Compacted {
  readonly messages: readonly unknown[]
  readonly report: CompactionReport
}

async function writeCompacted(file: string, large: boolean, flags: Flags): Promise<void> {
  if (flags.out !== undefined) await checkNew(flags.out)
  const settings = await settingsOf(flags)
  const { messages, report }: Compacted = large
    ? await (await import('../rolling.ts')).compactLog(file, settings, progressOfBytes, (line) => noteUnfinished(file, line))
    : await compactWhole(file, settings)
  noteWindow(settings)
  if (flags.out !== undefined) await writeNew(flags.out, linesOf(messages))
  else if (flags.json !== true) process.stdout.write(linesOf(messages))
  if (flags.json === true) process.stdout.write(`${JSON.stringify({ ...report, window: settings.window })}\n`)
  else process.stderr.write(`${outcome(report, flags)}\n${mendedLines(report)}`)
}

/** What was done, or that there is no need. */
function outcome(report: CompactionReport, { force }: Flags): string {
  if (report.plan.decision.action !== 'none') return renderReport(report)
  return `${renderPlan(report.plan)}${force === true ? '' : '; --force compacts all the same'}`
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

async function compactWhole(file: string, settings: CompactSettings): Promise<Compacted> {
  const transcript = await onlyTranscript(file)
  if (transcript.unfinished !== undefined) noteUnfinished(file, transcript.unfinished)
  const { messages, report } = await compactTranscript(transcript, settings)
  return { messages: transcript.write(messages), report }
}
