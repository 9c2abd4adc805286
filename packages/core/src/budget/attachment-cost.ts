import type { MediaPart, Tokens } from '../history/message.ts'

/** Tokens that one attachment costs, by its kind. Never by payload length: providers bill pixels, pages and seconds. */
export interface MediaCost {
  readonly image: Tokens
  readonly document: Tokens
  /** Audio and video. */
  readonly recording: Tokens
  readonly other: Tokens
}

/** Agents that ship take 1,200–5,000 for an image and 2,000 for a page of an unknown document; three pages are assumed. */
export const defaultMediaCost: MediaCost = { image: 1_600, document: 6_000, recording: 4_000, other: 1_000 }

/** Tokens of one attachment with this media type, whatever its size: `image/*`, PDF, `audio/*` and `video/*` by their kind, everything else as `cost.other`. */
export function mediaTokens(mediaType: string, cost: MediaCost = defaultMediaCost): Tokens {
  if (mediaType.startsWith('image/')) return cost.image
  if (mediaType === 'application/pdf') return cost.document
  return mediaType.startsWith('audio/') || mediaType.startsWith('video/') ? cost.recording : cost.other
}

/** Tokens of what a result or an item of a provider holds besides its text. */
export function attachmentTokens(attachments: readonly MediaPart[] = [], cost: MediaCost = defaultMediaCost): Tokens {
  let total = 0
  for (const { mediaType } of attachments) total += mediaTokens(mediaType, cost)
  return total
}
