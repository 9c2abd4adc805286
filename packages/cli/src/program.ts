import { readFileSync } from 'node:fs'
import { Command } from 'commander'
import { addArchive } from './commands/archive.ts'
import { addCompacting } from './commands/compacting.ts'
import { addDeleting } from './commands/deleting.ts'
import { addFollowing } from './commands/following.ts'
import { addLogs } from './commands/logs.ts'
import { addLook } from './commands/look.ts'
import { addMeasuring } from './commands/measuring.ts'
import { complain } from './terminal/note.ts'

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as { readonly version: string }

/** All of `compactctl` but the completion, which needs it whole. */
export function createProgram(): Command {
  const program = new Command('compactctl')
    .description(
      'Looks at agent transcripts, plans their compaction, compacts them, and finds again what left. <file> may be a folder, a pattern in quotes, or - for standard input. Without arguments: the sessions of agents on this machine.',
    )
    .version(version, '-V, --version', 'print the version')
    .configureOutput({ outputError: (text) => complain(text.trim().replace(/^error: /, '')) })
    .exitOverride()
  addLogs(program)
  addLook(program)
  addFollowing(program)
  addCompacting(program)
  addArchive(program)
  addDeleting(program)
  addMeasuring(program)
  return program
}
