import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { type RecordedMessage, saidBy } from '@precis/cli/replay'
import type { Message } from '@precis/core'

export { fromRecorded as neutral, type RecordedMessage, textOf, tokensOf } from '@precis/cli/replay'

/** The set of sessions that `import` wrote. */
export const ownSessions = 'own-sessions'

export interface Recorded {
  readonly id: string
  readonly set: string
  readonly domain: string
  readonly system?: string
  readonly messages: readonly RecordedMessage[]
  readonly compactions?: readonly { readonly beforeMessage: number; readonly summary: string }[]
}

/** Recorded sessions from `$PRECIS_TRANSCRIPTS`, by default beside the project. Never part of it. */
export function readTranscripts(
  from = process.env['PRECIS_TRANSCRIPTS'] ?? join(import.meta.dirname, '../../../shared/data/transcripts'),
): readonly Recorded[] {
  const folder = resolve(from)
  if (!existsSync(folder)) return []
  return readdirSync(folder)
    .filter((file) => file.endsWith('.jsonl'))
    .sort()
    .flatMap((file) =>
      readFileSync(join(folder, file), 'utf8')
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => ({ ...(JSON.parse(line) as Omit<Recorded, 'set'>), set: file.replace('.jsonl', '') })),
    )
}

/** What a message says, without the empty first line of one that only calls: as the stored figures count it. */
export function neutralText(message: Message): string {
  const said = saidBy(message)
  return message.parts[0]?.type === 'tool-call' ? said.slice(1) : said
}
