import type { Recorded } from '../sessions/transcripts.ts'
import { textOf } from '../sessions/transcripts.ts'

/** Words of letters alone that more sessions than this use are ordinary. */
const ordinaryFrom = 3

/**
 * The second extractor: any token of three characters or more, ordinary words excepted. It knows nothing of what names look like, so a
 * ranking that holds under both is not owed to the shape of the first one's patterns.
 */
export function rareExtractor(transcripts: readonly Recorded[]): (text: string) => ReadonlyMap<string, string> {
  const sessions = new Map<string, number>()
  for (const { messages } of transcripts) {
    const words = new Set<string>()
    for (const message of messages) for (const word of textOf(message).match(/\b[A-Za-z]{3,}\b/g) ?? []) words.add(word.toLowerCase())
    for (const word of words) sessions.set(word, (sessions.get(word) ?? 0) + 1)
  }
  return (text) => {
    const found = new Map<string, string>()
    for (const token of text.match(/[A-Za-z0-9_@#][\w@#./-]*[A-Za-z0-9_]/g) ?? []) {
      if (token.length < 3 || token.length > 200 || found.has(token)) continue
      if (/^[A-Za-z]+$/.test(token) && (sessions.get(token.toLowerCase()) ?? 0) >= ordinaryFrom) continue
      found.set(token, 'rare')
    }
    return found
  }
}
