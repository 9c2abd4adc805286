import type { CompactionPlan } from '@precis/core'
import { type Command, Option } from 'commander'
import { compactTranscript, planTranscript } from '../compact.ts'
import { diffTranscript } from '../diff.ts'
import { type Inspection, inspect } from '../inspect.ts'
import { inspectLogs } from '../inspect-logs.ts'
import { isLarge } from '../log.ts'
import { plain } from '../plain.ts'
import { readTranscripts } from '../read-transcripts.ts'
import { rememberedOf, renderRemembered } from '../remembered.ts'
import { renderDiff } from '../render-diff.ts'
import { renderInspections, renderPlan } from '../render-inspection.ts'
import { filesOf, readEach } from '../sources.ts'
import {
  type CompactFlags,
  focusOption,
  type JsonFlag,
  jsonOption,
  notes,
  policyOf,
  print,
  settingsOf,
  streamOption,
  tokens,
  transcriptsOf,
  windowOption,
  withPolicy,
} from './options.ts'
import { progressOfBytes } from './progress.ts'

type Flags = JsonFlag & CompactFlags

/** Commands that look at a conversation and change nothing. */
export function addLook(program: Command): void {
  withPolicy(program.command('inspect <file...>'))
    .description('show what fills the context: tokens by tool, file and command, repeated outputs, recorded usage; with --window, what a compaction would do')
    .addOption(new Option('-w, --window <tokens>', 'context window of the model: shows what a compaction would do').argParser(tokens).conflicts('stream'))
    .addOption(streamOption())
    .addOption(jsonOption())
    .addHelpText('after', '\nExample: compactctl inspect ~/.claude/projects/app/session.jsonl --window 200000')
    .action(async (files: readonly string[], flags: Partial<Flags> & { readonly stream?: boolean }) => {
      const { window } = flags
      const policy = await policyOf(flags)
      const read = async (path: string): Promise<readonly (Inspection & { readonly plan?: CompactionPlan })[]> => {
        if (window === undefined && (flags.stream === true || (await isLarge(path))))
          return inspectLogs(path, progressOfBytes, (line) => notes.unfinished(path, line))
        const own = await readTranscripts(path)
        for (const { unfinished } of own) if (unfinished !== undefined) notes.unfinished(path, unfinished)
        return own.map((transcript) => ({ ...inspect(transcript), ...(window !== undefined && { plan: planTranscript(transcript, { window, policy }) }) }))
      }
      const found = await readEach(await filesOf(files), read, notes.leftOut)
      print(flags, found, () => renderInspections(found))
    })

  withPolicy(program.command('plan <file...>'))
    .description('show what a compaction would do, without doing it')
    .addOption(windowOption())
    .addOption(jsonOption())
    .addHelpText('after', '\nExample: compactctl plan session.jsonl --window 128000 --json')
    .action(async (files: readonly string[], flags: Flags) => {
      const settings = await settingsOf(flags)
      const plans = (await transcriptsOf(files)).map((transcript) => ({ name: transcript.name, plan: planTranscript(transcript, settings) }))
      print(flags, plans, () => plans.map(({ name, plan }) => `${plain(name)}: ${renderPlan(plan)}`).join('\n'))
    })

  withPolicy(program.command('diff <file...>'))
    .description('compare before and after, message by message; side by side if the terminal has 140 columns')
    .addOption(windowOption())
    .addOption(focusOption())
    .addOption(new Option('-a, --all', 'show every message, also unchanged ones'))
    .addOption(jsonOption())
    .addHelpText('after', '\nExample: compactctl diff session.jsonl --window 128000 | less -R')
    .action(async (files: readonly string[], flags: Flags & { readonly all?: boolean }) => {
      const settings = await settingsOf(flags)
      const diffs = await Promise.all(
        (await transcriptsOf(files)).map(async (transcript) => diffTranscript(transcript, await compactTranscript(transcript, settings))),
      )
      print(flags, diffs, () => diffs.map((found) => renderDiff(found, { whole: flags.all === true })).join('\n\n'))
    })

  withPolicy(program.command('remembered <file...>'))
    .description('print what a model with this window would be sent, as Markdown')
    .addOption(windowOption())
    .addOption(jsonOption())
    .addHelpText('after', '\nExample: compactctl remembered session.jsonl --window 64000')
    .action(async (files: readonly string[], flags: Flags) => {
      const settings = await settingsOf(flags)
      const found = await Promise.all((await transcriptsOf(files)).map((transcript) => rememberedOf(transcript, settings)))
      print(flags, found, () => found.map(renderRemembered).join('\n\n'))
    })
}
