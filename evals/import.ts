// `npm run evals -- import --from=FOLDER --to=FOLDER`: sessions of your own in the form that the other commands measure: `PRECIS_TRANSCRIPTS=FOLDER npm run evals`.
// Reads what compactctl reads: the logs of Claude Code, Codex and others. `--without=FOLDER` leaves out sessions that are recorded there, `--most=45` takes the largest.
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { readTranscripts, TranscriptError } from '@precis/cli'
import { sessionOf } from './sessions/own-sessions.ts'
import { ownSessions, readTranscripts as readRecorded, textOf, tokensOf } from './sessions/transcripts.ts'

type Session = ReturnType<typeof sessionOf>

/** Tokens below which a coding session has no cut. */
const leastTokens = 22_000

const option = (name: string): string | undefined => {
  const flag = process.argv.find((argument) => argument.startsWith(`--${name}=`))
  return flag?.slice(name.length + 3)
}
const folder = (name: string): string | undefined => {
  const path = option(name)
  return path === undefined ? undefined : resolve(process.env['PRECIS_CWD'] ?? '.', path)
}

const size = ({ messages }: Session): number => messages.reduce((sum, message) => sum + tokensOf(textOf(message)), 0)
const keyOf = ({ messages }: Session): string => messages.slice(0, 3).map(textOf).join('\n')

async function importAll(from: string, to: string): Promise<void> {
  const without = folder('without')
  const known = new Set(without === undefined ? [] : readRecorded(without).map(keyOf))
  /** A log may be stored again each time it grew: the largest counts. */
  const found = new Map<string, { readonly session: Session; readonly tokens: number }>()
  let refused = 0
  for (const file of readdirSync(from, { recursive: true, encoding: 'utf8' }).sort()) {
    if (!file.endsWith('.jsonl')) continue
    try {
      for (const transcript of await readTranscripts(join(from, file))) {
        const session = sessionOf({ ...transcript, name: file })
        const [key, tokens] = [keyOf(session), size(session)]
        if (tokens >= leastTokens && !known.has(key) && tokens > (found.get(key)?.tokens ?? 0)) found.set(key, { session, tokens })
      }
    } catch (error) {
      if (!(error instanceof TranscriptError)) throw error
      refused++
    }
  }
  const sessions = [...found.values()]
    .sort((a, b) => b.tokens - a.tokens || a.session.id.localeCompare(b.session.id))
    .slice(0, Number(option('most') ?? Infinity))
  mkdirSync(to, { recursive: true })
  writeFileSync(join(to, `${ownSessions}.jsonl`), sessions.map(({ session }) => `${JSON.stringify(session)}\n`).join(''))
  console.log(`${sessions.length} sessions of at least ${leastTokens} tokens stand in ${to}; ${refused} files were no sessions.`)
  console.log(`Measure them: PRECIS_TRANSCRIPTS=${to} npm run evals`)
}

const [from, to] = [folder('from'), folder('to')]
if (from === undefined || to === undefined) {
  console.error('Write where the sessions are and where to put them: npm run evals -- import --from=$HOME/.claude/projects --to=/tmp/sessions')
  process.exitCode = 1
} else await importAll(from, to)
