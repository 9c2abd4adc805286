#!/usr/bin/env node
import { CompactionError } from '@precis/core'
import { createProgram } from './program.ts'
import { TranscriptError } from './transcript-error.ts'

const program = createProgram()
// It needs the whole program, and a library that nothing else needs.
if (process.argv[2] === 'complete') (await import('./commands/complete.ts')).addCompletion(program)
else program.command('complete <shell>').description('prints what completes commands and options in zsh, bash, fish or powershell')

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
