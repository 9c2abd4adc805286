import { type Candidate, candidateFor, type PruneView } from './outputs.ts'

/**
 * Attachments beyond the newest `keep` become a line that says what they were. Oldest first. Those of the newest message stay together as long as any may stay.
 *
 * @param keep Default: the policy's.
 */
export function oldMedia(view: PruneView, keep: number = view.prune.media.keep): readonly Candidate[] {
  let seen = 0
  const found: Candidate[] = []
  for (const media of view.media().toReversed()) {
    const { length } = media.descriptions
    seen += length
    if (seen <= keep || (keep && seen === length)) continue
    const line = `[attached, not shown any more: ${media.descriptions.join(', ')}]`
    found.push(candidateFor(media, 'media', media.text === '' ? line : `${media.text}\n${line}`))
  }
  return found.reverse()
}
