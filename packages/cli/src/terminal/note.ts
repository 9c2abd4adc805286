import { styleText } from 'node:util'
import { plain, plainLines } from '../look/plain.ts'

/** One quiet line beside the result. */
export function note(text: string): void {
  process.stderr.write(`${styleText('dim', `note: ${plain(text)}`, { stream: process.stderr })}\n`)
}

/** Two lines: what is wrong, and what to write instead. */
export function complain(text: string, hint?: string): void {
  const stream = process.stderr
  process.stderr.write(
    `${styleText('red', 'compactctl:', { stream })} ${plainLines(text)}\n${hint === undefined ? '' : `  ${styleText('dim', plainLines(hint), { stream })}\n`}`,
  )
}

/** A running session writes its next line right now. */
export function noteUnfinished(path: string, line: number): void {
  note(`${path}, line ${line} is only half written (is the session still running?); it is left out.`)
}
