import { parseTokens } from '@precis/config/quantities'
import { presets } from '@precis/core'
import { type Command, InvalidArgumentError, Option } from 'commander'
import { note, noteUnfinished } from '../terminal/note.ts'
import { readAll } from '../transcripts/sources.ts'
import type { Transcript } from '../transcripts/transcript.ts'

/** Whole tokens, 500 or more, as people write them. */
export function tokens(text: string): number {
  const value = parseTokens(text)
  if (value === undefined || value < leastWindow) throw new InvalidArgumentError(`Expected whole tokens, at least ${leastWindow}: 128000, 128,000, 200k or 1M.`)
  return value
}

const leastWindow = 500

/** What is left out is said on standard error, quietly. */
export const notes: { leftOut(text: string): void; unfinished(path: string, line: number): void } = { leftOut: note, unfinished: noteUnfinished }

export const transcriptsOf = (files: readonly string[]): Promise<readonly Transcript[]> => readAll(files, notes)

export function count(text: string): number {
  const value = Number(text)
  if (!Number.isInteger(value) || value < 0) throw new InvalidArgumentError('Expected a whole number, not below 0.')
  return value
}

export const windowOption = (): Option =>
  new Option('-w, --window <tokens>', "context window of the model, in tokens (default: the configuration's, else 200k)").argParser(tokens)
export const jsonOption = (): Option => new Option('--json', 'print JSON')
export const focusOption = (): Option => new Option('-f, --focus <text>', 'what the summary should focus on')
export const forceOption = (): Option => new Option('--force', 'compact what fits the window, too')
export const streamOption = (): Option => new Option('--stream', 'read JSON Lines piece by piece, as large files always are')
export const rootOption = (): Option => new Option('-r, --root <folder>', 'folder of the archive (default: .precis)')
export const outOption = (): Option => new Option('-o, --out <file>', 'file to write, which must not exist yet, or - for standard output')

export interface JsonFlag {
  readonly json?: boolean
}

/** The value as JSON where that was asked for, the text otherwise. */
export function print({ json }: JsonFlag, value: unknown, text: () => string): void {
  process.stdout.write(`${json === true ? JSON.stringify(value) : text()}\n`)
}

/** One message a line. */
export function linesOf(messages: readonly unknown[]): string {
  return `${messages.map((message) => JSON.stringify(message)).join('\n')}\n`
}

/** From the table of docs/systems.md. */
const presetHelp =
  'the policy. Leave it out for balanced, which suits most agents; cacheAware is for interactive agents, outputCache for huge tool outputs, pivot for one long task, layered for a complete record, calibrated for servers that report no usage'

/** The policy of a command: a preset, or a configuration's. */
export function withPolicy(command: Command): Command {
  return command
    .addOption(new Option('-p, --preset <name>', presetHelp).choices(Object.keys(presets)))
    .addOption(new Option('-c, --config <file>', 'take the policy and the window from a configuration file').conflicts('preset'))
}
