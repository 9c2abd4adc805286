import type { CompactionReport } from '@precis/core'
import { bad, faint, good, legend, receipt, stepLine, strong } from './view.ts'

/** What is told of a run while it runs. */
export interface Show {
  begin(label: string): void
  step(number: number, text: string, report: CompactionReport | undefined): void
  /** Before step `number`. */
  compaction(number: number, report: CompactionReport): void
  answer(question: string, said: string, right: boolean): void
  death(steps: number, message: string): void
}

/** Compactions that are told one by one. */
const mostTold = 3

/** One line that moves, the first compactions, the questions. */
export function inShort(): Show {
  let compactions = 0
  const moving = process.stdout.isTTY === true
  const clear = (): unknown => moving && process.stdout.write('\r\u001b[2K')
  const say = (line: string): void => {
    clear()
    console.log(line)
  }
  return {
    begin: (label) => say(strong(label)),
    step(number, text, report) {
      if (moving)
        process.stdout.write(
          `\r\u001b[2K${stepLine('  step', number, text, report).slice(0, 400)}`,
        )
    },
    compaction(number, { tokens, messages }) {
      compactions++
      if (compactions > mostTold) return
      const freed = `${thousands(tokens.before, 6)} → ${thousands(tokens.after, 5)} tokens`
      const what = `${messages.summarized} messages became a record of them`
      say(
        `  before step ${String(number).padStart(2)}  ${freed}  ${faint(what)}`,
      )
    },
    answer(question, said, right) {
      if (compactions > mostTold)
        say(
          faint(
            `  … and ${compactions - mostTold} more compactions (--verbose tells each)`,
          ),
        )
      compactions = 0
      say(`  ${question} ${right ? good(said) : bad(said)}`)
    },
    death(steps, message) {
      const [sentence = message] = message.split('. ')
      say(`  ${bad(`dead after ${steps} steps:`)} ${sentence}.`)
    },
  }
}

/** Every step with its context, every compaction with its receipt. */
export function atLength(): Show {
  return {
    begin: (label) => console.log(`${strong(label)}\n${faint(legend)}`),
    step: (number, text, report) =>
      console.log(stepLine('step', number, text, report)),
    compaction: (_, report) => console.log(receipt(report)),
    answer: (question, said, right) =>
      console.log(`        ${question} ${right ? good(said) : bad(said)}`),
    death: (steps, message) =>
      console.log(bad(`dead after step ${steps}: ${message}`)),
  }
}

function thousands(tokens: number, width: number): string {
  return tokens.toLocaleString('en').padStart(width)
}
