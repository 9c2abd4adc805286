import { type Command, Option } from 'commander'
import type { ArchivePlace } from '../archive/open-archive.ts'
import { plain, plainLines } from '../look/plain.ts'
import { many } from '../terminal/amounts.ts'
import { bold, dim } from '../terminal/text.ts'
import { checkNew, writeNew } from '../write.ts'
import { count, type JsonFlag, jsonOption, linesOf, outOption, print, rootOption } from './options.ts'

type Flags = JsonFlag & ArchivePlace

/** Commands over what is on record. */
export function addArchive(program: Command): void {
  const placed = (command: Command): Command =>
    command
      .addOption(rootOption())
      .addOption(new Option('-c, --config <file>', 'a configuration that names the storage').conflicts('root'))
      .addOption(jsonOption())

  placed(program.command('sessions'))
    .description('list the sessions in an archive')
    .addHelpText('after', '\nExample: compactctl sessions --config precis.yaml')
    .action(async (flags: Flags) => {
      const { listSessions } = await import('../archive/archived.ts')
      const found = await listSessions(flags)
      const lines = found.map(
        ({ session, messages, compactions, last, file }) =>
          `${bold(plain(session))}  ${many(messages, 'message')}, ${many(compactions, 'compaction')}${last === null ? '' : `, last ${last}`}${file === undefined ? '' : dim(`, in place: ${plain(file)}`)}`,
      )
      print(flags, found, () => (lines.length === 0 ? 'The archive is empty.' : lines.join('\n')))
    })

  placed(program.command('restore <session>'))
    .description('write the whole conversation, as it was before any compaction')
    .addOption(outOption())
    .addHelpText('after', '\nExample: compactctl restore ticket-205 --out whole.jsonl')
    .action(async (session: string, flags: Flags & { readonly out?: string }) => {
      const { restoreSession } = await import('../archive/archived.ts')
      if (flags.out !== undefined) await checkNew(flags.out)
      const text = linesOf(await restoreSession(session, flags))
      if (flags.out === undefined) process.stdout.write(text)
      else await writeNew(flags.out, text)
    })

  placed(program.command('recall <session> [query]'))
    .description('search an archived conversation, or page through it')
    .option('--offset <number>', 'first message to show or search', count)
    .option('--limit <number>', 'most messages or lines to show', count)
    .addHelpText('after', '\nExample: compactctl recall ticket-205 "E4711" --limit 5')
    .action(async (session: string, query: string | undefined, flags: Flags & { readonly offset?: number; readonly limit?: number }) => {
      const { recallFrom } = await import('../archive/archived.ts')
      const { offset, limit } = flags
      const text = await recallFrom(session, flags, {
        ...(query !== undefined && { query }),
        ...(offset !== undefined && { offset }),
        ...(limit !== undefined && { limit }),
      })
      print(flags, { session, text }, () => plainLines(text))
    })

  placed(program.command('repair <session>'))
    .description('rebuild the damaged index of an archived conversation; nothing is deleted')
    .addHelpText('after', '\nExample: compactctl repair ticket-205')
    .action(async (session: string, flags: Flags) => {
      const { repairSession } = await import('../archive/archived.ts')
      const done = await repairSession(session, flags)
      const lines = [`${done.rebuilt ? 'the index was rebuilt' : 'the index was sound'}; it leads to ${done.messages} messages`]
      print(flags, done, () => [...lines, ...done.damaged.map((key) => `damaged: ${plain(key)}`)].join('\n'))
    })

  program
    .command('rotate')
    .description('encrypt with the current key what is stored under an older one')
    .requiredOption('-c, --config <file>', 'a configuration that encrypts, with the older keys in encryption.olderKeys')
    .addOption(jsonOption())
    .addHelpText('after', '\nExample: compactctl rotate --config precis.yaml')
    .action(async (flags: JsonFlag & { readonly config: string }) => {
      const { renderRotation, rotateKeys } = await import('../archive/rotated.ts')
      const done = await rotateKeys(flags.config)
      print(flags, done, () => renderRotation(done))
      if (done.failed.length > 0) process.exitCode = 1
    })

  placed(program.command('rewind <session> [checkpoint]'))
    .description('undo the newest compaction, or the named one and all after it; after compact --in-place, the file is put back as it was')
    .addHelpText('after', '\nExample: compactctl rewind ticket-205')
    .action(async (session: string, checkpoint: string | undefined, flags: Flags) => {
      const { rewindSession } = await import('../archive/archived.ts')
      const done = await rewindSession(session, flags, checkpoint)
      const { file, forgotten, newest, left } = done
      const now = left === 0 ? 'nothing is compacted now' : newest === null ? `${many(left, 'compaction')} left` : `the newest is ${plain(newest)}`
      print(flags, done, () => `${file === undefined ? '' : `${plain(file)} is as it was; `}${forgotten} forgotten; ${now}`)
    })
}
