import type { MessageCodec } from './codec.ts'
import type { Message, Part } from './message.ts'
import { withSummaryMark } from './summary-mark.ts'

/** The codec of our own shape, for programs that have no framework, and for transcripts. */
export const neutralCodec: MessageCodec<Message> = {
  read: withSummaryMark,
  createSummary: (text, { role }) => ({ role, parts: [{ type: 'text', text }] }),
  joinUsers: (messages) => ({ role: 'user', parts: messages.flatMap((message) => message.parts) }),
  edit: (message, { outputs, inputs, media }) => {
    const parts = message.parts.map((part): Part => {
      if (part.type === 'tool-call') {
        const input = inputs.get(part.callId)
        return input === undefined ? part : { ...part, input }
      }
      if (part.type !== 'tool-result') return part
      const output = outputs.get(part.callId)
      if (!output) return part
      const { attachments, ...rest } = part
      return { ...rest, output: output.text, ...(output.keepAttachments && attachments !== undefined && { attachments }) }
    })
    if (media === undefined) return { ...message, parts }
    const first = parts.findIndex((part) => part.type === 'media')
    return { ...message, parts: parts.flatMap((part, at): Part[] => (part.type !== 'media' ? [part] : at === first ? [{ type: 'text', text: media }] : [])) }
  },
  createToolResults: (list) => [{ role: 'tool', parts: list.map(({ callId, tool, output }) => ({ type: 'tool-result', callId, tool, output })) }],
  withoutToolResults(message, callIds) {
    const parts = message.parts.filter((part) => part.type !== 'tool-result' || !callIds.has(part.callId))
    return parts.length === 0 ? undefined : { ...message, parts }
  },
}
