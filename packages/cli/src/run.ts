import { CompactionError } from '@precis/core'
import { starterHint } from './config-hint.ts'
import { createProgram } from './program.ts'
import { complain } from './terminal/note.ts'
import { TranscriptError } from './transcripts/transcript-error.ts'

const program = createProgram()
// It needs the whole program, and a library that nothing else needs.
if (process.argv[2] === 'complete') (await import('./commands/complete.ts')).addCompletion(program)
else program.command('complete <shell>').description('print a completion script for zsh, bash, fish or powershell')

// A reader that has seen enough, such as `head`, is no error.
for (const stream of [process.stdout, process.stderr])
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit()
    complain(`Cannot write the output: ${error.message}.`, 'Is the disk full? What was written so far is not whole.')
    process.exit(1)
  })

const given = process.argv.slice(2)
/** 0 done, 1 the input is at fault, 2 the call is. */
program.parseAsync(given.length === 0 ? ['logs'] : given, { from: 'user' }).catch((error: unknown) => {
  const { code, exitCode, message, name, cause } = error as Error & { code?: string; exitCode?: number }
  if (code?.startsWith('commander.') === true) {
    process.exitCode = exitCode === 0 ? 0 : 2
    const command = program.commands.find((one) => one.name() === given[0])
    if (exitCode !== 0) process.stderr.write(`  See: compactctl ${command === undefined ? '' : `${command.name()} `}--help\n`)
    return
  }
  process.exitCode = 1
  if (code === 'EEXIST') complain(message, 'Name another one, or remove it first.')
  else if (error instanceof TranscriptError) complain(message, error.hint)
  else if (name === 'ConfigError') complain(message, cause === undefined ? undefined : starterHint)
  else if (CompactionError.isInstance(error) || code !== undefined) complain(message)
  else {
    complain(`Something unexpected: ${message}`, 'Please report it with the command and the file if you can. DEBUG=compactctl prints where it happened.')
    if (process.env['DEBUG'] === 'compactctl') process.stderr.write(`${(error as Error).stack}\n`)
  }
})
