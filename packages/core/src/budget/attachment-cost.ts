import type { MediaPart, Tokens } from '../history/message.ts'
import { sumOf } from '../history/sum-of.ts'

/** Tokens that one attachment costs, by its kind. Never by payload length: providers bill pixels, pages and seconds. */
export interface MediaCost {
  readonly image: Tokens
  /** A document of three pages, or of unknown length; others in proportion to their pages. */
  readonly document: Tokens
  /** Audio and video. */
  readonly recording: Tokens
  readonly other: Tokens
}

/**
 * Agents that ship take 1,200–5,000 for an image and 2,000 for a page. Anthropic bills 1,500–3,000 for a page's text and its picture besides ("PDF support",
 * docs.claude.com), OpenAI the text and a picture of each page, Gemini 258: what a provider bills differently is learned (`calibrate`).
 */
export const defaultMediaCost: MediaCost = { image: 1_600, document: 6_000, recording: 4_000, other: 1_000 }

const pagesUnknown = 3

/** Tokens of one attachment, whatever its size: `image/*`, PDF by its pages, `audio/*` and `video/*` by their kind, everything else as `cost.other`. */
export function mediaTokens({ mediaType, pages = pagesUnknown }: Pick<MediaPart, 'mediaType' | 'pages'>, cost: MediaCost = defaultMediaCost): Tokens {
  if (mediaType.startsWith('image/')) return cost.image
  if (mediaType === 'application/pdf') return Math.ceil((cost.document * pages) / pagesUnknown)
  return /^(?:audio|video)\//.test(mediaType) ? cost.recording : cost.other
}

/** Tokens of what a result or an item of a provider holds besides its text. */
export function attachmentTokens(attachments: readonly MediaPart[], cost: MediaCost): Tokens {
  return sumOf(attachments, (part) => mediaTokens(part, cost))
}
