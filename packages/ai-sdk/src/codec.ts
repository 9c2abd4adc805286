import { jsonText, type Message, type MessageChanges, type MessageCodec, type Part } from '@precis/core'

/**
 * What the AI SDK's message types have in common, in every major and on both sides of the provider interface:
 * `ModelMessage` as `prepareStep` sees it and the prompt that a middleware sees. Looked at structurally, so that parts we do not know survive.
 */
export interface SdkMessage {
  readonly role: string
  readonly content: string | readonly SdkPart[]
  readonly providerOptions?: SdkProviderOptions
}

interface SdkPart {
  readonly type: string
  readonly providerOptions?: SdkProviderOptions
  readonly [field: string]: unknown
}

type SdkProviderOptions = Readonly<Record<string, Readonly<Record<string, unknown>>>>

interface SdkOutput {
  readonly type: string
  readonly value?: unknown
  readonly reason?: string
}

/** Our slot in `providerOptions`: providers ignore it, and it survives storage. `{ precis: { protected: true } }` pins a message; `{ precis: { marker: { auto: false } } }` asks for a compaction. */
const slot = 'precis'

/** Approvals answer by approval id; the call they belong to is named only where the approval was asked for. */
const mostApprovals = 10_000

/** A codec for one list of messages. Kept messages pass by reference, so `read` leaves out what planning never looks at. */
export function createCodec<M>(): MessageCodec<M> {
  const approvals = new Map<string, string>()
  const codec: MessageCodec<SdkMessage> = {
    read: (message) => readMessage(Object(message) as SdkMessage, approvals),
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
        withParts(message, (part) => editPart(part, changes)),
        changes.media,
      ),
    createToolResults: (results) => [
      {
        role: 'tool',
        content: results.map(({ callId, tool, output }) => ({
          type: 'tool-result',
          toolCallId: callId,
          toolName: tool,
          output: { type: 'text', value: output },
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

function editPart(part: SdkPart, { outputs, inputs }: MessageChanges): SdkPart {
  const callId = String(part?.['toolCallId'])
  if (part?.type === 'tool-call') {
    const input = inputs.get(callId)
    return input === undefined ? part : { ...withoutItemId(part), input: typeof part['input'] === 'string' ? input : (JSON.parse(input) as unknown) }
  }
  const change = part?.type === 'tool-result' ? outputs.get(callId) : undefined
  return change === undefined ? part : { ...part, output: editedOutput(part['output'] as SdkOutput | undefined, change) }
}

/** OpenAI's stored items are sent by reference: an edit would be without effect while the id stands beside it. */
function withoutItemId(part: SdkPart): SdkPart {
  if (!Object.values(part.providerOptions ?? {}).some((options) => options?.['itemId'] !== undefined)) return part
  const providerOptions = Object.entries(part.providerOptions ?? {}).map(([provider, { itemId: _stored, ...options }]) => [provider, options])
  return { ...part, providerOptions: Object.fromEntries(providerOptions) as SdkProviderOptions }
}

function editedOutput(before: SdkOutput | undefined, { text, keepAttachments }: { readonly text: string; readonly keepAttachments: boolean }): SdkOutput {
  if (keepAttachments && before?.type === 'content' && Array.isArray(before.value)) {
    return { ...before, value: [{ type: 'text', text }, ...before.value.filter((item: { type?: string } | null) => item?.type !== 'text')] }
  }
  return { type: String(before?.type).startsWith('error') ? 'error-text' : 'text', value: text }
}

/** Attachments of the message itself make way for one line of text, where the first of them stood. */
function withoutMedia(message: SdkMessage, line: string | undefined): SdkMessage {
  if (line === undefined || typeof message.content === 'string') return message
  const isMedia = (part: SdkPart): boolean => part?.type === 'image' || part?.type === 'file'
  const first = partsOf(message).findIndex(isMedia)
  return {
    ...message,
    content: partsOf(message).flatMap((part, at): SdkPart[] => (!isMedia(part) ? [part] : at === first ? [{ type: 'text', text: line }] : [])),
  }
}

function withParts(message: SdkMessage, change: (part: SdkPart) => SdkPart): SdkMessage {
  return Array.isArray(message.content) ? { ...message, content: partsOf(message).map(change) } : message
}

/** Total: what a host stored may be null, or hold nulls. */
function partsOf({ content }: SdkMessage): readonly SdkPart[] {
  return Array.isArray(content) ? (content as readonly SdkPart[]) : []
}

function readMessage(message: SdkMessage, approvals: Map<string, string>): Message {
  const own = message.providerOptions?.[slot]
  const version = own?.['summary']
  const marker = own?.['marker'] as { readonly auto?: unknown; readonly focus?: unknown } | undefined | null
  if (marker != null) {
    return { role: 'user', parts: [{ type: 'marker', auto: marker.auto === true, ...(typeof marker.focus === 'string' && { focus: marker.focus }) }] }
  }
  const parts: readonly Part[] =
    typeof message.content === 'string'
      ? message.content === ''
        ? []
        : [{ type: 'text', text: message.content }]
      : partsOf(message).map((part) => readPart(Object(part) as SdkPart, approvals))
  return {
    role: message.role === 'system' || message.role === 'user' || message.role === 'tool' ? message.role : 'assistant',
    parts,
    ...(own?.['protected'] === true && { protected: true }),
    ...(typeof version === 'number' && { summary: { version } }),
  }
}

function readPart(part: SdkPart, approvals: Map<string, string>): Part {
  if (isProviderCompaction(part)) return { type: 'opaque', kind: 'provider-compaction', size: sizeOf(part), barrier: true }
  switch (part.type) {
    case 'text':
      return { type: 'text', text: String(part['text'] ?? '') }
    case 'reasoning':
      return { type: 'reasoning', text: String(part['text'] ?? ''), ...(part.providerOptions !== undefined && { sealed: true }) }
    case 'image':
    case 'file':
      return readMedia(part)
    case 'tool-call':
      return {
        type: 'tool-call',
        callId: String(part['toolCallId']),
        tool: String(part['toolName']),
        input: typeof part['input'] === 'string' ? part['input'] : jsonText(part['input']),
        ...(part['providerExecuted'] === true && { providerExecuted: true }),
      }
    case 'tool-result':
      return readResult(part)
    case 'tool-approval-request': {
      const callId = String(part['toolCallId'])
      if (approvals.size >= mostApprovals) approvals.clear()
      approvals.set(String(part['approvalId']), callId)
      return { type: 'approval', callId, state: 'requested' }
    }
    case 'tool-approval-response': {
      const callId = approvals.get(String(part['approvalId'])) ?? String(part['approvalId'])
      return { type: 'approval', callId, state: part['approved'] === true ? 'granted' : 'denied' }
    }
    default:
      return { type: 'opaque', kind: String(part.type ?? 'unknown'), size: sizeOf(part) }
  }
}

function readMedia(part: SdkPart): Part {
  const mediaType = String(part['mediaType'] ?? (part.type === 'image' ? 'image/*' : 'application/octet-stream'))
  const data = part['data'] ?? part['image']
  const bytes = data instanceof Uint8Array ? data.byteLength : typeof data === 'string' && !data.startsWith('http') ? Math.floor(data.length * 0.75) : undefined
  const name = part['filename']
  return { type: 'media', mediaType, ...(bytes !== undefined && { bytes }), ...(typeof name === 'string' && { name }) }
}

function readResult(part: SdkPart): Part {
  const output = part['output'] as SdkOutput | undefined
  const media =
    output?.type === 'content' && Array.isArray(output.value) ? output.value.filter((item: { type?: string } | null) => item?.type !== 'text').length : 0
  const isError = output?.type === 'error-text' || output?.type === 'error-json' || output?.type === 'execution-denied'
  return {
    type: 'tool-result',
    callId: String(part['toolCallId']),
    tool: String(part['toolName']),
    output: outputText(output),
    ...(isError && { isError }),
    ...(media > 0 && { media }),
  }
}

function outputText(output: SdkOutput | undefined): string {
  if (output == null) return ''
  if (output.type === 'execution-denied') return output.reason ?? 'execution denied'
  if (typeof output.value === 'string') return output.value
  if (output.type === 'content' && Array.isArray(output.value)) {
    return output.value.flatMap((item: { type?: string; text?: string } | null) => (item?.type === 'text' ? [item.text ?? ''] : [])).join('\n')
  }
  return jsonText(output.value)
}

/** Anthropic marks its summary on a text part, OpenAI sends a part of its own. Both stand for everything before them. */
function isProviderCompaction(part: SdkPart): boolean {
  if (part.type === 'custom') return String(part['kind'] ?? '').endsWith('compaction')
  return Object.values(part.providerOptions ?? {}).some((options) => options?.['type'] === 'compaction')
}

function sizeOf(part: SdkPart): number {
  return jsonText(part).length
}
