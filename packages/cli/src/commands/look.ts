import type { CompactionPlan } from '@precis/core'
import { type Command, Option } from 'commander'
import { compactTranscript, planTranscript } from '../compact.ts'
import { diffTranscript } from '../look/diff.ts'
import { type Inspection, inspect } from '../look/inspect.ts'
import { inspectLogs } from '../look/inspect-logs.ts'
import { plain } from '../look/plain.ts'
import { rememberedOf, renderRemembered } from '../look/remembered.ts'
import { renderDiff } from '../look/render-diff.ts'
import { renderInspections, renderPlan } from '../look/render-inspection.ts'
import { isLarge } from '../transcripts/log.ts'
import { readTranscripts } from '../transcripts/read-transcripts.ts'
import { filesOf, readEach } from '../transcripts/sources.ts'
import { type CompactFlags, knownSettingsOf, noteWindow, settingsOf } from './chosen.ts'
import { focusOption, forceOption, type JsonFlag, jsonOption, notes, print, streamOption, tokens, transcriptsOf, windowOption, withPolicy } from './options.ts'
import { progressOfBytes } from './progress.ts'

type Flags = JsonFlag & CompactFlags

/** Commands that look at a conversation and change nothing. */
export function addLook(program: Command): void {
  withPolicy(program.command('inspect <file...>'))
    .description('show what fills the context: tokens by tool, file and command, repeated outputs, recorded usage; with --window, what a compaction would do')
    .addOption(
      new Option('-w, --window <tokens>', "context window of the model (default: the configuration's): shows what a compaction would do")
        .argParser(tokens)
        .conflicts('stream'),
    )
    .addOption(streamOption())
    .addOption(jsonOption())
    .addHelpText('after', '\nExample: compactctl inspect ~/.claude/projects/app/session.jsonl --window 200000')
    .action(async (files: readonly string[], flags: Partial<Flags> & { readonly stream?: boolean }) => {
      const { window, from, ...settings } = await knownSettingsOf(flags)
      const read = async (path: string): Promise<readonly (Inspection & { readonly plan?: CompactionPlan })[]> => {
        if (flags.window === undefined && (flags.stream === true || (await isLarge(path))))
          return inspectLogs(path, progressOfBytes, (line) => notes.unfinished(path, line))
        const own = await readTranscripts(path)
        for (const { unfinished } of own) if (unfinished !== undefined) notes.unfinished(path, unfinished)
        return own.map((transcript) => ({
          ...inspect(transcript),
          ...(window !== undefined && { window, plan: planTranscript(transcript, { window, ...settings }) }),
        }))
      }
      const found = await readEach(await filesOf(files), read, notes.leftOut)
      noteWindow({ window, from })
      print(flags, found, () => renderInspections(found))
    })

  withPolicy(program.command('plan <file...>'))
    .description('show what a compaction would do, without doing it')
    .addOption(windowOption())
    .addOption(forceOption())
    .addOption(jsonOption())
    .addHelpText('after', '\nExample: compactctl plan session.jsonl --window 128000 --json')
    .action(async (files: readonly string[], flags: Flags) => {
      const settings = await settingsOf(flags)
      const plans = (await transcriptsOf(files)).map((transcript) => ({
        name: transcript.name,
        window: settings.window,
        plan: planTranscript(transcript, settings),
      }))
      noteWindow(settings)
      print(flags, plans, () => plans.map(({ name, plan }) => `${plain(name)}: ${renderPlan(plan)}`).join('\n'))
    })

  withPolicy(program.command('diff <file...>'))
    .description('compare before and after, message by message; side by side if the terminal has 140 columns')
    .addOption(windowOption())
    .addOption(focusOption())
    .addOption(forceOption())
    .addOption(new Option('-a, --all', 'show every message, also unchanged ones'))
    .addOption(jsonOption())
    .addHelpText('after', '\nExample: compactctl diff session.jsonl --window 128000 | less -R')
    .action(async (files: readonly string[], flags: Flags & { readonly all?: boolean }) => {
      const settings = await settingsOf(flags)
      const diffs = await Promise.all(
        (await transcriptsOf(files)).map(async (transcript) => ({
          window: settings.window,
          ...diffTranscript(transcript, await compactTranscript(transcript, settings)),
        })),
      )
      noteWindow(settings)
      print(flags, diffs, () => diffs.map((found) => renderDiff(found, { whole: flags.all === true })).join('\n\n'))
    })

  withPolicy(program.command('remembered <file...>'))
    .description('print what a model with this window would be sent, as Markdown')
    .addOption(windowOption())
    .addOption(jsonOption())
    .addHelpText('after', '\nExample: compactctl remembered session.jsonl --window 64000')
    .action(async (files: readonly string[], flags: Flags) => {
      const settings = await settingsOf(flags)
      const found = await Promise.all(
        (await transcriptsOf(files)).map(async (transcript) => ({ window: settings.window, ...(await rememberedOf(transcript, settings)) })),
      )
      noteWindow(settings)
      print(flags, found, () => found.map(renderRemembered).join('\n\n'))
    })
}
