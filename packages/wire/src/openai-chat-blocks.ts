import { type Part, readOpaque } from '@precis/core'
import { readFile } from './attachments.ts'
import { type Fields, fields, isFields, list, listOf, text } from './json.ts'
import type { BlockEdits, Held } from './result-blocks.ts'

/** Blocks of a content; a text is one. */
export function contentBlocks(content: unknown): readonly unknown[] {
  if (typeof content === 'string') return content === '' ? [] : [{ type: 'text', text: content }]
  return listOf(content)
}

/** Kinds of content that are attachments, by what they hold. Of files the data says it. */
const mediaTypes: ReadonlyMap<unknown, string | undefined> = new Map([
  ['image_url', 'image/*'],
  ['input_audio', 'audio/*'],
  ['video_url', 'video/*'],
  ['file', undefined],
])

export function readHeld(block: unknown): Held {
  if (typeof block === 'string') return { type: 'text', text: block }
  const { type, text: said, refusal } = fields(block)
  const words = said ?? refusal
  if (typeof words === 'string') return { type: 'text', text: words }
  if (!mediaTypes.has(type)) return readOpaque(text(type), block)
  const held = fields(block)[text(type)]
  const { url, data, file_data, filename } = fields(held)
  return readFile({
    mediaType: mediaTypes.get(type),
    data: url ?? data ?? file_data ?? held ?? block,
    name: typeof filename === 'string' ? filename : undefined,
  })
}

export const resultEdits: BlockEdits = { read: readHeld, make: (said) => ({ type: 'text', text: said }) }

/** What a reply holds beside its content and its calls: reasoning that some servers take back, a refusal, what was spoken. */
export function readBeside({ reasoning_content, reasoning, reasoning_details, refusal, audio }: Fields): readonly Part[] {
  const parts: Part[] = []
  const details = list(reasoning_details).map(fields)
  // Where a server gives it in several fields, it is the same reasoning.
  const thoughts = [text(reasoning_content), text(reasoning), details.map(({ text: said, summary }) => text(said ?? summary)).join('\n')]
  const thought = thoughts.reduce((longest, one) => (one.length > longest.length ? one : longest))
  const sealedSize = details.reduce((sum, { data, signature }) => sum + text(data).length + text(signature).length, 0)
  if (thought !== '' || sealedSize > 0) parts.push({ type: 'reasoning', text: thought, ...(sealedSize > 0 && { sealed: true, sealedSize }) })
  if (typeof refusal === 'string' && refusal !== '') parts.push({ type: 'text', text: refusal })
  // Its id alone is sent, and billed by what was said.
  if (isFields(audio)) parts.push({ ...readOpaque('audio', audio), attachments: [{ type: 'media', mediaType: 'audio/*', data: audio }] })
  return parts
}
