import { stat } from 'node:fs/promises'
import { setTimeout as wait } from 'node:timers/promises'
import { type Command, InvalidArgumentError, Option } from 'commander'
import { noteUnfinished } from '../terminal/note.ts'
import { columns } from '../terminal/text.ts'
import { onlyTranscript } from '../transcripts/read-transcripts.ts'
import type { Transcript } from '../transcripts/transcript.ts'
import { TranscriptError } from '../transcripts/transcript-error.ts'
import { type CompactFlags, noteWindow, settingsOf } from './chosen.ts'
import { focusOption, type JsonFlag, jsonOption, print, tokens, windowOption, withPolicy } from './options.ts'

interface WatchFlags extends JsonFlag, CompactFlags {
  readonly for?: number
}

const pollMs = 1_000
/** A reading may take this share of the time between two of them. */
const busiest = 5

function seconds(text: string): number {
  const value = Number(text)
  if (!(value > 0 && value <= 86_400)) throw new InvalidArgumentError('Expected seconds, more than 0 and at most 86400 (a day).')
  return value
}

export function addFollowing(program: Command): void {
  withPolicy(program.command('watch <file>'))
    .description('follow a running session: what is in its context, and when the next compaction is due (Ctrl-C ends)')
    .addOption(windowOption())
    .addOption(new Option('--for <seconds>', 'stop after this many seconds').argParser(seconds))
    .addOption(jsonOption())
    .addHelpText('after', '\nExample: compactctl watch ~/.claude/projects/app/session.jsonl --window 200k')
    .action(watch)

  withPolicy(program.command('continue <file>'))
    .description('print the compacted conversation as Markdown, to hand it to another agent')
    .addOption(new Option('-w, --window <tokens>', 'context window to compact for; the text takes about half of it').default(64_000, '64k').argParser(tokens))
    .addOption(focusOption())
    .addOption(jsonOption())
    .addHelpText('after', '\nExample: compactctl continue session.jsonl | claude')
    .action(async (file: string, flags: JsonFlag & CompactFlags) => {
      const { continueTranscript } = await import('../continued.ts')
      const transcript = await onlyTranscript(file)
      if (transcript.unfinished !== undefined) noteUnfinished(file, transcript.unfinished)
      const done = await continueTranscript(transcript, await settingsOf(flags))
      print(flags, done, () => done.markdown)
    })
}

async function watch(file: string, flags: WatchFlags): Promise<void> {
  if (file === '-') throw new TranscriptError('Standard input cannot be watched.', { hint: 'Name the file that the session writes.' })
  const { watched, watchedLine, watchedScreen } = await import('../look/watched.ts')
  const settings = await settingsOf(flags)
  const ended = new AbortController()
  const stop = (): void => ended.abort()
  process.once('SIGINT', stop)
  const timer = flags.for === undefined ? undefined : setTimeout(stop, flags.for * 1_000)
  const drawn = flags.json !== true && process.stdout.isTTY === true
  let [before, rows] = ['', 0]
  /** The file as it is now; undefined while another program moves it away, or writes it anew and is not done. */
  const looked = async (): Promise<Transcript | undefined> => {
    try {
      return await onlyTranscript(file)
    } catch (error) {
      if (before === '' || !(error instanceof TranscriptError)) throw error
      return undefined
    }
  }
  try {
    while (!ended.signal.aborted) {
      const began = Date.now()
      const { size, mtimeMs } = await stat(file).catch(() => ({ size: -1, mtimeMs: 0 }))
      const mark = `${size} ${mtimeMs}`
      const transcript = mark === before ? undefined : await looked()
      if (transcript !== undefined) {
        const found = watched(transcript, settings)
        if (before === '') noteWindow(settings)
        before = mark
        if (drawn) {
          const lines = watchedScreen(found, columns())
          process.stdout.write(`${rows > 0 ? `\u001b[${rows}A` : ''}${lines.map((line) => `\u001b[2K${line}\n`).join('')}\u001b[J`)
          rows = lines.length
        } else process.stdout.write(`${flags.json === true ? JSON.stringify(found) : watchedLine(found)}\n`)
      }
      await wait(Math.max(pollMs, (Date.now() - began) * busiest), undefined, { signal: ended.signal }).catch(() => undefined)
    }
  } finally {
    clearTimeout(timer)
    process.removeListener('SIGINT', stop)
  }
}
