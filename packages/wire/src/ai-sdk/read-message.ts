import { jsonText, type MediaPart, type Message, type Part, readAttachment, readOpaque, readValue, type TextPart, type ToolResultPart } from '@precis/core'
import { isPinned } from '@precis/core/adapters'
import type { OwnKind } from './own-kinds.ts'
import type { SdkMessage, SdkOutput, SdkPart } from './sdk-message.ts'

/** Our slot in `providerOptions`: providers ignore it, and it survives storage. `{ precis: { protected: true } }` pins a message; `{ precis: { marker: { auto: false } } }` asks for a compaction. */
export const slot = 'precis'

/** Approvals answer by approval id; the call they belong to is named only where the approval was asked for. */
const mostApprovals = 10_000

/** Total: what a host stored may be null, or hold nulls. */
export function partsOf({ content }: SdkMessage): readonly SdkPart[] {
  return Array.isArray(content) ? (content as readonly SdkPart[]) : []
}

/** The kind of a result, where it answers a provider's own tool. */
type KindOf = (part: SdkPart) => OwnKind | undefined

/** A message as planning sees it. @param approvals - Call ids by approval id, over the whole list. */
export function readMessage(message: SdkMessage, approvals: Map<string, string>, kindOf: KindOf): Message {
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
      : sealedOnce(
          partsOf(message).map((part) => readPart(Object(part) as SdkPart, approvals)),
          partsOf(message),
        ).flatMap((part, at) => (part.type === 'tool-result' ? inKind(part, partsOf(message)[at] as SdkPart, kindOf, message.role) : [part]))
  return {
    role: message.role === 'system' || message.role === 'user' || message.role === 'tool' ? message.role : 'assistant',
    parts,
    ...(isPinned(own) && { protected: true }),
    ...(typeof version === 'number' && { summary: { version } }),
  }
}

function readPart(part: SdkPart, approvals: Map<string, string>): Part {
  if (isProviderCompaction(part)) return readOpaque('provider-compaction', part, { barrier: true })
  switch (part.type) {
    case 'text':
      return { type: 'text', text: String(part['text'] ?? '') }
    case 'reasoning':
      return readReasoning(part)
    case 'image':
    case 'file':
    case 'reasoning-file':
      return readMedia(part)
    case 'tool-call':
      return {
        type: 'tool-call',
        callId: String(part['toolCallId']),
        tool: String(part['toolName']),
        input: typeof part['input'] === 'string' ? part['input'] : jsonText(part['input']),
        ...(part['providerExecuted'] === true && { providerExecuted: true }),
        ...callerOf(part),
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
    default: {
      const opaque = readOpaque(String(part.type ?? 'unknown'), part)
      // Announces a reply in its stream, and is never sent back.
      return part['kind'] === 'anthropic.message_start' ? { ...opaque, size: 0 } : opaque
    }
  }
}

/** The program that called a tool, under the name that each provider's package gives it. */
function callerOf({ providerOptions = {} }: SdkPart): { readonly caller?: string } {
  const callers = Object.values(providerOptions).map((own) => Object(own?.['caller']) as Readonly<Record<string, unknown>>)
  const caller = callers.map(({ toolId, callerId }) => toolId ?? callerId).find((id) => typeof id === 'string')
  return typeof caller === 'string' ? { caller } : {}
}

/** What providers encrypt or sign and want back, by the names that their packages give it. */
const seals = ['reasoningEncryptedContent', 'signature', 'redactedData', 'thoughtSignature'] as const

function readReasoning(part: SdkPart): Part {
  const options = Object.values(part.providerOptions ?? {})
  const sealedSize = Math.max(0, ...options.flatMap((own) => seals.map((name) => (typeof own?.[name] === 'string' ? own[name].length : 0))))
  const text = String(part['text'] ?? '')
  return { type: 'reasoning', text, ...(options.length > 0 && { sealed: true }), ...(sealedSize > 0 && { sealedSize }) }
}

/** OpenAI's item with several summaries is several parts here, each with the seal of the whole: it is sent once. */
function sealedOnce(parts: readonly Part[], content: readonly SdkPart[]): readonly Part[] {
  const seen = new Set<unknown>()
  return parts.map((part, at) => {
    const id = content[at]?.providerOptions?.['openai']?.['itemId']
    if (part.type !== 'reasoning' || part.sealedSize === undefined || typeof id !== 'string') return part
    if (!seen.has(id)) {
      seen.add(id)
      return part
    }
    const { sealedSize: _again, ...rest } = part
    return rest
  })
}

/** Parts of messages and of outputs, in every major: data as it is, tagged, or under another name. */
function readMedia(part: Readonly<Record<string, unknown>>): TextPart | MediaPart {
  const type = String(part['type'])
  const held = part['data'] ?? part['image'] ?? part['url'] ?? part['fileId'] ?? part
  const tagged = (typeof held === 'object' && held !== null ? held : {}) as { readonly type?: unknown; readonly [field: string]: unknown }
  const name = typeof part['filename'] === 'string' ? part['filename'] : undefined
  // A text that stands in the part itself, whatever it begins like.
  if (held !== part && tagged.type === 'text' && typeof tagged['text'] === 'string')
    return { type: 'text', text: name === undefined ? tagged['text'] : `${name}:\n${tagged['text']}` }
  const data = held instanceof URL ? held.href : typeof tagged.type === 'string' && held !== part ? (tagged[tagged.type] ?? held) : held
  return readAttachment({
    mediaType: typeof part['mediaType'] === 'string' ? part['mediaType'] : type.startsWith('image') ? 'image/*' : undefined,
    data: data instanceof URL ? data.href : data,
    name,
  })
}

/** Whether a part of a message, or of an output, is read as a text: one that is called so, or a file of text. */
export const isText = (part: unknown): boolean => {
  const own = Object(part) as Readonly<Record<string, unknown>>
  return own['type'] === 'text' || (own['type'] !== 'custom' && readMedia(own).type === 'text')
}

function readResult(part: SdkPart): ToolResultPart {
  const output = part['output'] as SdkOutput | undefined
  const { text, attachments } = readOutput(output)
  const isError = output?.type === 'error-text' || output?.type === 'error-json' || output?.type === 'execution-denied'
  return {
    type: 'tool-result',
    callId: String(part['toolCallId']),
    tool: String(part['toolName']),
    output: text,
    ...(isError && { isError }),
    ...(attachments.length > 0 && { attachments }),
  }
}

function readOutput(output: SdkOutput | undefined): { readonly text: string; readonly attachments: readonly MediaPart[] } {
  if (output == null) return { text: '', attachments: [] }
  if (output.type === 'execution-denied') return { text: output.reason ?? 'execution denied', attachments: [] }
  if (output.type === 'content' && Array.isArray(output.value)) {
    const items = output.value.map((item: Readonly<Record<string, unknown>> | null) => {
      if (item?.['type'] === 'text') return { type: 'text', text: String(item['text'] ?? '') } as const
      // References to tools, say: sent as they are.
      if (item?.['type'] === 'custom') return { type: 'text', text: jsonText(item) } as const
      return readMedia(Object(item) as Readonly<Record<string, unknown>>)
    })
    return {
      text: items.flatMap((item) => (item.type === 'text' ? [item.text] : [])).join('\n'),
      attachments: items.filter((item) => item.type === 'media'),
    }
  }
  return { text: typeof output.value === 'string' ? output.value : jsonText(output.value), attachments: [] }
}

/**
 * A result as far as it can be shortened. What the provider ran itself is shown whole or not at all; a picture inside it might be taken out, and with one it is
 * opaque. So is an answer that nothing shorter can take the place of.
 */
function inKind(read: ToolResultPart, given: SdkPart, kindOf: KindOf, role: string): readonly Part[] {
  const output = given['output'] as SdkOutput | undefined
  const value = output?.value ?? output
  const kind = kindOf(given)
  if (kind !== undefined && !kind.isWhole) return [{ ...read, output: kind.read(Object(value) as Readonly<Record<string, unknown>>) }]
  if (kind === undefined && role !== 'assistant') return [read]
  const { attachments: _inside, ...result } = read
  const opaque = readOpaque(result.tool, value)
  return kind || opaque.attachments ? [{ ...result, output: '' }, opaque] : [{ ...result, output: readValue(value).text }]
}

/** Anthropic marks its summary on a text part, OpenAI sends a part of its own. Both stand for everything before them. */
function isProviderCompaction(part: SdkPart): boolean {
  if (part.type === 'custom') return String(part['kind'] ?? '').endsWith('compaction')
  return Object.values(part.providerOptions ?? {}).some((options) => options?.['type'] === 'compaction')
}
