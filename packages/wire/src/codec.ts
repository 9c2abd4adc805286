import { type MessageCodec, type Part, type Role, withSummaryMark } from '@precis/core'
import type { Shape } from './shape.ts'
import type { WireMessage } from './wire.ts'

/** Sees and makes messages of one API. Requests carry no mark but the text itself: the preface of a summary is how it is known again. */
export function codecOf(shape: Shape): MessageCodec<WireMessage> {
  const made = (role: Role, parts: readonly Part[]): WireMessage => ({ message: { role, parts }, blocks: parts.map((part) => shape.block(part, role)) })
  const changedTo = (message: WireMessage, pairs: readonly (readonly [Part, unknown])[]): WireMessage => ({
    ...message,
    message: { ...message.message, parts: pairs.map(([part]) => part) },
    blocks: pairs.map(([, block]) => block),
    changed: true,
  })
  return {
    read: ({ message }) => withSummaryMark(message),
    createSummary: (text, { role }) => made(role, [{ type: 'text', text }]),
    joinUsers: (messages) => ({
      message: { role: 'user', parts: messages.flatMap(({ message }) => message.parts) },
      blocks: messages.flatMap(({ blocks }) => blocks),
    }),
    edit(message, { outputs, inputs, media }) {
      const { role, parts } = message.message
      const firstMedia = media === undefined ? -1 : parts.findIndex((part) => part.type === 'media')
      let changed = false
      const pairs = parts.flatMap((part, at): (readonly [Part, unknown])[] => {
        const block = message.blocks[at]
        const next = editedPair(shape, part, block, outputs, inputs)
        if (next !== undefined || (firstMedia >= 0 && part.type === 'media')) changed = true
        if (firstMedia < 0 || part.type !== 'media' || media === undefined) return [next ?? [part, block]]
        const line: Part = { type: 'text', text: media }
        return at === firstMedia ? [[line, shape.block(line, role)]] : []
      })
      return changed ? changedTo(message, pairs) : message
    },
    createToolResults: (results) => {
      const parts = results.map(({ callId, tool, output }): Part => ({ type: 'tool-result', callId, tool, output }))
      const together = shape.joins({ role: 'tool', parts }, { role: 'tool', parts })
      return together ? [made('tool', parts)] : parts.map((part) => made('tool', [part]))
    },
    withoutToolResults(message, callIds) {
      const pairs = message.message.parts.map((part, at) => [part, message.blocks[at]] as const)
      const left = pairs.filter(([part]) => part.type !== 'tool-result' || !callIds.has(part.callId))
      if (left.length === pairs.length) return message
      return left.some(([, block]) => block !== undefined) ? changedTo(message, left) : undefined
    },
  }
}

type Changes = Parameters<MessageCodec<WireMessage>['edit']>[1]

/** A call or a result in its new words; undefined where it has none, or cannot take them. */
function editedPair(shape: Shape, part: Part, block: unknown, outputs: Changes['outputs'], inputs: Changes['inputs']): readonly [Part, unknown] | undefined {
  if (part.type === 'tool-call') {
    const input = inputs.get(part.callId)
    const next = input === undefined ? undefined : shape.withInput(block, input)
    return input === undefined || next === undefined ? undefined : [{ ...part, input }, next]
  }
  const output = part.type === 'tool-result' ? outputs.get(part.callId) : undefined
  if (part.type !== 'tool-result' || output === undefined) return undefined
  const next = shape.withOutput(block, output.text, output.keepAttachments)
  if (next === undefined) return undefined
  const { attachments, ...rest } = part
  return [{ ...rest, output: output.text, ...(output.keepAttachments && attachments !== undefined && { attachments }) }, next]
}
