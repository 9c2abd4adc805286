import type { MessageChanges, MessageCodec } from '@precis/core'
import { kindOfCall, kindOfResult, type OwnKind } from './own-kinds.ts'
import { isText, partsOf, readMessage, slot } from './read-message.ts'
import type { SdkMessage, SdkOutput, SdkPart, SdkProviderOptions } from './sdk-message.ts'

/** Calls of a provider's own tools that are remembered, over all conversations. */
const mostCalls = 100_000

/** A codec for one list of messages. Kept messages pass by reference, so `read` leaves out what planning never looks at. */
export function createCodec<M>(): MessageCodec<M> {
  const approvals = new Map<string, string>()
  const kinds = new Map<string, OwnKind>()
  const noteCall = (part: SdkPart | null): void => {
    if (part?.type !== 'tool-call') return
    const [callId, kind] = [String(part['toolCallId']), kindOfCall(part['input'])]
    // Some servers number their calls anew in each conversation.
    kinds.delete(callId)
    if (kind !== undefined) kinds.set(callId, kind)
    if (kinds.size > mostCalls) kinds.delete(kinds.keys().next().value as string)
  }
  const codec: MessageCodec<SdkMessage> = {
    read(message) {
      const given = Object(message) as SdkMessage
      partsOf(given).forEach(noteCall)
      return readMessage(given, approvals, (part) => kindOfResult(kinds, part))
    },
    createSummary: (text, { version, role }) => ({
      role,
      content: role === 'system' ? text : [{ type: 'text', text }],
      providerOptions: { [slot]: { summary: version } },
    }),
    joinUsers: (messages) => ({
      role: 'user',
      content: messages.flatMap((message): readonly SdkPart[] =>
        typeof message.content === 'string' ? [{ type: 'text', text: message.content }] : partsOf(message),
      ),
    }),
    edit: (message, changes) =>
      withoutMedia(
        withParts(message, (part) => editPart(part, changes, kinds)),
        changes.media,
      ),
    createToolResults: (results) => [
      {
        role: 'tool',
        content: results.map(({ callId, tool, output }) => ({
          type: 'tool-result',
          toolCallId: callId,
          toolName: tool,
          output: answerTo(kinds.get(callId), output),
        })),
      },
    ],
    withoutToolResults(message, callIds) {
      if (!Array.isArray(message.content)) return message
      const content = partsOf(message).filter((part) => part?.type !== 'tool-result' || !callIds.has(String(part['toolCallId'])))
      return content.length === 0 ? undefined : { ...message, content }
    },
  }
  // The SDK's own types are closed unions that differ by major; ours is the part of them that all share.
  return codec as unknown as MessageCodec<M>
}

function answerTo(kind: OwnKind | undefined, text: string): SdkOutput {
  const value = kind?.answer?.(text)
  return value === undefined ? { type: 'text', value: text } : { type: 'json', value }
}

function editPart(part: SdkPart, { outputs, inputs }: MessageChanges, kinds: ReadonlyMap<string, OwnKind>): SdkPart {
  const callId = String(part?.['toolCallId'])
  if (part?.type === 'tool-call') {
    const input = kinds.get(callId)?.isWhole ? undefined : inputs.get(callId)
    return input === undefined ? part : { ...withoutItemId(part), input: typeof part['input'] === 'string' ? input : (JSON.parse(input) as unknown) }
  }
  const change = part?.type === 'tool-result' ? outputs.get(callId) : undefined
  return change === undefined ? part : { ...part, output: editedOutput(part['output'] as SdkOutput | undefined, change, kindOfResult(kinds, part)) }
}

/** OpenAI's stored items are sent by reference: an edit would be without effect while the id stands beside it. */
function withoutItemId(part: SdkPart): SdkPart {
  if (!Object.values(part.providerOptions ?? {}).some((options) => options?.['itemId'] !== undefined)) return part
  const providerOptions = Object.entries(part.providerOptions ?? {}).map(([provider, { itemId: _stored, ...options }]) => [provider, options])
  return { ...part, providerOptions: Object.fromEntries(providerOptions) as SdkProviderOptions }
}

function editedOutput(
  before: SdkOutput | undefined,
  { text, keepAttachments }: { readonly text: string; readonly keepAttachments: boolean },
  kind: OwnKind | undefined,
): SdkOutput {
  if (kind !== undefined) return { type: 'json', value: kind.with(Object(before?.value) as Readonly<Record<string, unknown>>, text) }
  if (keepAttachments && before?.type === 'content' && Array.isArray(before.value)) {
    return { ...before, value: [{ type: 'text', text }, ...before.value.filter((item) => !isText(item))] }
  }
  return { type: String(before?.type).startsWith('error') ? 'error-text' : 'text', value: text }
}

/** Attachments of the message itself make way for one line of text, where the first of them stood. */
function withoutMedia(message: SdkMessage, line: string | undefined): SdkMessage {
  if (line === undefined || typeof message.content === 'string') return message
  const isMedia = (part: SdkPart): boolean => (part?.type === 'image' || part?.type === 'file') && !isText(part)
  const first = partsOf(message).findIndex(isMedia)
  return {
    ...message,
    content: partsOf(message).flatMap((part, at): SdkPart[] => (!isMedia(part) ? [part] : at === first ? [{ type: 'text', text: line }] : [])),
  }
}

function withParts(message: SdkMessage, change: (part: SdkPart) => SdkPart): SdkMessage {
  return Array.isArray(message.content) ? { ...message, content: partsOf(message).map(change) } : message
}
