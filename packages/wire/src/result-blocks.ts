import type { MediaPart, OpaquePart, Part, TextPart, ToolResultPart } from '@precis/core'
import { fields } from './json.ts'

/** What one block of a result is. */
export type Held = TextPart | MediaPart | OpaquePart

/**
 * The parts of one result: its texts as one, what is attached, and beside it what is neither. Only the text and the attachments can be edited: the rest
 * is counted as what stays.
 */
export function resultParts(result: Omit<ToolResultPart, 'type' | 'output' | 'attachments'>, held: readonly Held[]): readonly Part[] {
  const attachments = held.filter((part) => part.type === 'media')
  const output = held.flatMap((part) => (part.type === 'text' && part.text !== '' ? [part.text] : [])).join('\n')
  return [{ type: 'tool-result', ...result, output, ...(attachments.length > 0 && { attachments }) }, ...held.filter((part) => part.type === 'opaque')]
}

/** How an API's blocks take another text. */
export interface BlockEdits {
  read(block: unknown): Held
  /** A block of this text. */
  make(text: string): object
  /** What stays of a block whose text is part of another one now. Default: nothing. */
  rest?(block: unknown): unknown
}

/**
 * The content of a result with one text in place of all its texts. In a list it stands where the first of them stood and has the other fields of all.
 * Attachments go unless they are kept; what is neither text nor attachment stays.
 */
export function withText(content: unknown, text: string, keepAttachments: boolean, { read, make, rest }: BlockEdits): unknown {
  if (!Array.isArray(content)) return text
  const isText = (block: unknown): boolean => typeof fields(block)['text'] === 'string' && read(block).type === 'text'
  const first = content.findIndex(isText)
  const made = { ...make(text), ...Object.assign({}, ...content.filter(isText).toReversed()), text }
  const left = content.flatMap((block, at): readonly unknown[] => {
    if (isText(block)) return at === first ? [made] : []
    const { type } = read(block)
    const stays = type === 'text' ? rest?.(block) : type === 'opaque' || keepAttachments ? block : undefined
    return stays === undefined ? [] : [stays]
  })
  return first >= 0 ? left : left.length > 0 ? [made, ...left] : text
}
