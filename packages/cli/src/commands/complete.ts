import tab from '@bomb.sh/tab/commander'
import type { Command } from 'commander'

/**
 * Adds `complete <shell>`, which prints a script for a shell, and `complete -- <words>`, which that script calls.
 * Where no command, option or choice fits, the answer is ":0", for which the shell offers files: the library itself never lets it.
 */
export function addCompletion(program: Command): void {
  const printed: string[] = []
  const { log } = console
  console.log = (line: string) => printed.push(line)
  tab(program)
  const [, , , first] = process.argv
  program.hook('postAction', () => {
    console.log = log
    if (first === '--') log((printed.length > 1 ? printed : [':0']).join('\n'))
    else log(printed.join('\n').replace('complete -F', 'complete -o default -F'))
  })
}
