import { Command } from 'commander'
import { addArchive } from './commands/archive.ts'
import { addCompacting } from './commands/compacting.ts'
import { addDeleting } from './commands/deleting.ts'
import { addLook } from './commands/look.ts'
import { addMeasuring } from './commands/measuring.ts'

/** All of `compactctl` but the completion, which needs it whole. */
export function createProgram(): Command {
  const program = new Command('compactctl')
    .description('Looks at agent transcripts, plans their compaction, compacts them, and finds again what left. <file> may be - for standard input.')
    .showHelpAfterError()
    .exitOverride()
  addLook(program)
  addCompacting(program)
  addArchive(program)
  addDeleting(program)
  addMeasuring(program)
  return program
}
