import { readValue } from '../history/attachment.ts'
import { memoized } from '../history/memoize.ts'
import type { Message, Part, Role } from '../history/message.ts'

/** What one part of a message says, whole, and who says it: `user`, `user attaches`, `assistant calls read_file`, `tool read_file returned`. */
export interface Segment {
  readonly author: string
  readonly text: string
  /** The call that it makes or answers. */
  readonly callId?: string
}

/** Of messages that take a while to read. */
const known = new WeakMap<Message, readonly Segment[]>()

/** A message part by part, nothing cut. Parts that say nothing are left out. */
export function segmentsOf(message: Message): readonly Segment[] {
  const read = (): readonly Segment[] => message.parts.map((part) => segmentOf(part, message.role)).filter(({ text }) => text !== '')
  return message.parts.some(({ type }) => type === 'opaque') ? memoized(known, message, read) : read()
}

function segmentOf(part: Part, role: Role): Segment {
  switch (part.type) {
    case 'text':
      return { author: role, text: part.text }
    case 'reasoning':
      return { author: `${role} thinks`, text: part.text }
    case 'tool-call':
      return { author: `${role} calls ${part.tool}`, text: part.input, callId: part.callId }
    case 'tool-result':
      return { author: `tool ${part.tool} ${part.isError ? 'failed' : 'returned'}`, text: part.output, callId: part.callId }
    case 'media':
      return { author: `${role} attaches`, text: `(attached ${part.mediaType}${part.name === undefined ? '' : ` ${part.name}`})` }
    case 'approval':
      return { author: 'approval', text: part.state }
    case 'opaque':
      return { author: part.kind, text: part.value === undefined ? '' : readValue(part.value).text }
    case 'marker':
      return { author: role, text: '' }
  }
}
