import { type MediaPart, readAttachment, type TextPart } from '@precis/core'

/** One block of a message's content, in LangChain's own spelling or a provider's. */
export interface Block {
  readonly type?: string
  readonly [field: string]: unknown
}

/** A block in LangChain's own spelling, or in a provider's: what it holds stands in the block, or one level below. */
export function readMedia(block: Block, kind: string): TextPart | MediaPart {
  const below = block['source'] ?? block['file'] ?? block['input_audio'] ?? block['image_url']
  const inner = (typeof below === 'object' && below !== null ? below : {}) as Readonly<Record<string, unknown>>
  const all: Readonly<Record<string, unknown>> = { ...inner, ...block }
  const said = block['mimeType'] ?? block['mime_type'] ?? inner['media_type']
  const data = all['data'] ?? all['file_data'] ?? all['bytes'] ?? all['text'] ?? inner['url'] ?? all['url'] ?? (typeof below === 'string' ? below : undefined)
  const name = all['filename'] ?? all['title'] ?? (block['metadata'] as { readonly filename?: unknown } | undefined)?.filename
  const stated = typeof data === 'string' && data.startsWith('data:')
  return readAttachment({
    mediaType: typeof said === 'string' ? said : stated ? undefined : kind,
    // A file id, or whatever else tells it from others.
    data: data ?? all['fileId'] ?? all['file_id'] ?? all['fileUri'] ?? all['file_uri'] ?? block,
    name: typeof name === 'string' ? name : undefined,
  })
}

/**
 * An attachment as a provider's API has it, which its package sends on as it is: `{ inlineData: { mimeType, data } }`, `{ mimeType, data }` and
 * `{ type: 'image/png', data }` (Gemini), `{ image: { format, source } }` (Bedrock). Gemini wants a signed part back as it was, so that is none.
 */
export function readForeignMedia(block: Block): TextPart | MediaPart | undefined {
  if (block['thoughtSignature'] !== undefined) return undefined
  const part = Object(block['inlineData'] ?? block['inline_data'] ?? block['fileData'] ?? block['file_data'] ?? block) as Block
  const said = part['mimeType'] ?? part['mime_type'] ?? block.type
  const data = part['data'] ?? part['fileUri'] ?? part['file_uri']
  if (typeof said === 'string' && said.includes('/') && (typeof data === 'string' || ArrayBuffer.isView(data))) return readMedia(part, said)
  const kind = ['image', 'document', 'video', 'audio'].find((name) => (Object(block[name]) as Block)['source'] !== undefined)
  if (kind === undefined) return undefined
  const held = block[kind] as Block
  return readMedia(held, kind === 'document' ? documentType(String(held['format'])) : `${kind}/*`)
}

const documentType = (format: string): string => `${/^(?:txt|md|html|csv)$/.test(format) ? 'text' : 'application'}/${format}`
