import { type Command, InvalidArgumentError, Option } from 'commander'
import type { ArchivePlace } from '../archive/open-archive.ts'
import { type JsonFlag, jsonOption, print, rootOption } from './options.ts'

type Flags = JsonFlag & ArchivePlace & { readonly dryRun?: boolean }

/** Commands that delete what is stored. */
export function addDeleting(program: Command): void {
  const placed = (command: Command): Command =>
    command
      .addOption(rootOption())
      .addOption(new Option('-c, --config <file>', 'a configuration that names the storage').conflicts('root'))
      .addOption(new Option('-n, --dry-run', 'say what would be deleted, and delete nothing'))
      .addOption(jsonOption())

  placed(program.command('forget <session>'))
    .description('delete everything that is stored of one conversation; the path of a file stands for each that it held')
    .addOption(new Option('-b, --backups', 'delete the .bak files that compact --in-place left, too'))
    .addHelpText('after', '\nExample: compactctl forget ticket-205 --dry-run')
    .action(async (session: string, flags: Flags & { readonly backups?: boolean }) => {
      const { forgetSession, renderForgot } = await import('../archive/deleted.ts')
      const { dryRun = false, backups = false } = flags
      const done = await forgetSession(session, flags, { dryRun, backups })
      print(flags, done, () => renderForgot(session, done, { dryRun, backups }))
    })

  placed(program.command('gc'))
    .description('delete what nobody used for longer than the retention: conversations, expired leases, outputs that no conversation needs')
    .addOption(new Option('-d, --days <number>', "retention in days (default: the configuration's, else 30)").argParser(days))
    .addHelpText('after', '\nExample: compactctl gc --config precis.yaml --days 90 --dry-run')
    .action(async (flags: Flags & { readonly days?: number }) => {
      const { collectGarbage, renderCollected } = await import('../archive/deleted.ts')
      const { dryRun = false, days } = flags
      const done = await collectGarbage(flags, { dryRun, ...(days !== undefined && { days }) })
      print(flags, done, () => renderCollected(done, dryRun))
      if (done.failed.length > 0) process.exitCode = 1
    })
}

function days(text: string): number {
  const value = Number(text)
  if (!(value > 0)) throw new InvalidArgumentError('Expected days, more than 0.')
  return value
}
