import type { MessageChanges, MessageCodec } from '@precis/core'
import { answerInKind, type InKind, textInKind } from './own-kinds.ts'
import { isText, partsOf, readMessage, type SdkMessage, type SdkOutput, type SdkPart, type SdkProviderOptions, slot } from './read-message.ts'

/** Calls of a provider's own tools that are remembered. */
const mostCalls = 10_000

/** A codec for one list of messages. Kept messages pass by reference, so `read` leaves out what planning never looks at. */
export function createCodec<M>(): MessageCodec<M> {
  const approvals = new Map<string, string>()
  const answers = new Map<string, (text: string) => SdkOutput>()
  /** What was answered to a call of a provider's own tool: its shape, and the text in it. */
  const inKind = (part: SdkPart) => (answers.has(String(part['toolCallId'])) ? textInKind(part['output'] as SdkOutput | undefined) : undefined)
  const noteCall = (part: SdkPart | null): void => {
    const answer = part?.type === 'tool-call' ? answerInKind(part['input']) : undefined
    if (answers.size >= mostCalls) answers.clear()
    if (answer !== undefined) answers.set(String(part?.['toolCallId']), answer)
  }
  const codec: MessageCodec<SdkMessage> = {
    read(message) {
      const given = Object(message) as SdkMessage
      partsOf(given).forEach(noteCall)
      return readMessage(given, approvals, inKind)
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
        withParts(message, (part) => editPart(part, changes, inKind)),
        changes.media,
      ),
    createToolResults: (results) => [
      {
        role: 'tool',
        content: results.map(({ callId, tool, output }) => ({
          type: 'tool-result',
          toolCallId: callId,
          toolName: tool,
          output: answers.get(callId)?.(output) ?? { type: 'text', value: output },
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

function editPart(part: SdkPart, { outputs, inputs }: MessageChanges, inKind: InKind): SdkPart {
  const callId = String(part?.['toolCallId'])
  if (part?.type === 'tool-call') {
    const input = inputs.get(callId)
    return input === undefined ? part : { ...withoutItemId(part), input: typeof part['input'] === 'string' ? input : (JSON.parse(input) as unknown) }
  }
  const change = part?.type === 'tool-result' ? outputs.get(callId) : undefined
  return change === undefined ? part : { ...part, output: inKind(part)?.with(change.text) ?? editedOutput(part['output'] as SdkOutput | undefined, change) }
}

/** OpenAI's stored items are sent by reference: an edit would be without effect while the id stands beside it. */
function withoutItemId(part: SdkPart): SdkPart {
  if (!Object.values(part.providerOptions ?? {}).some((options) => options?.['itemId'] !== undefined)) return part
  const providerOptions = Object.entries(part.providerOptions ?? {}).map(([provider, { itemId: _stored, ...options }]) => [provider, options])
  return { ...part, providerOptions: Object.fromEntries(providerOptions) as SdkProviderOptions }
}

function editedOutput(before: SdkOutput | undefined, { text, keepAttachments }: { readonly text: string; readonly keepAttachments: boolean }): SdkOutput {
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
