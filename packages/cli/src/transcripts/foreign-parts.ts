import type { Message, MessageCodec, Part } from '@precis/core'
import type { WireName } from '@precis/wire'

export type Fields = Readonly<Record<string, unknown>>

/** A log of another program: read, and never written. */
export interface LogFormat {
  readonly format: 'claude-code' | 'codex' | 'pi' | 'gemini-cli' | 'opencode'
  /** Found by looking at the values: the lines of a file, or the members of its list. */
  matches(values: readonly Fields[]): boolean
  /** Reads the values of one conversation, one after another. */
  reader(): Reader
}

export interface Reader {
  /** Messages that are whole with this value. */
  read(value: Fields): readonly Message[]
  /** Those that are held back until more is known of them: at the end. */
  rest?(): readonly Message[]
}

/** A shape that is not our own. */
export interface ForeignFormat {
  readonly format: WireName | 'langchain' | 'ui-messages' | LogFormat['format']
  matches(values: readonly Fields[]): boolean
  /** How one conversation is read and written. */
  open(): Opened
}

export interface Opened {
  readonly codec: MessageCodec<unknown>
  /** Messages that one value holds: none, where it is bookkeeping of a log. */
  read(value: unknown): readonly unknown[]
  /** Those that are held back until more is known of them: at the end. */
  readonly rest?: () => readonly unknown[]
  /** Messages of the codec as the file has them. Where `writable` is false, they are written in our own shape. */
  readonly write: (messages: readonly unknown[]) => readonly unknown[]
  readonly writable: boolean
}

export const fields = (value: unknown): Fields => (typeof value === 'object' && value !== null ? (value as Fields) : {})
export const list = (value: unknown): readonly Fields[] => (Array.isArray(value) ? value.map(fields) : [])
export const text = (value: unknown): string => (typeof value === 'string' ? value : value === undefined || value === null ? '' : (JSON.stringify(value) ?? ''))
export const roleOf = (value: unknown): Message['role'] =>
  value === 'user' || value === 'system' || value === 'developer' || value === 'tool' ? value : 'assistant'
export const some = (values: readonly Fields[], test: (value: Fields) => boolean): boolean => values.some(test)
export const withParts = (role: Message['role'], parts: readonly Part[]): readonly Message[] => (parts.length === 0 ? [] : [{ role, parts }])
export const textParts = (value: string): readonly Part[] => (value === '' ? [] : [{ type: 'text', text: value }])
export const call = (id: unknown, tool: unknown, input: unknown): Part => ({
  type: 'tool-call',
  callId: text(id),
  tool: text(tool),
  input: typeof input === 'string' ? input : text(input ?? {}),
})
export const result = (id: unknown, tool: unknown, output: string, isError = false): Part => ({
  type: 'tool-result',
  callId: text(id),
  tool: text(tool),
  output,
  ...(isError && { isError }),
})
export const media = (mediaType: unknown): Part => ({ type: 'media', mediaType: typeof mediaType === 'string' ? mediaType : 'image/*' })

/** A message that holds several steps: each is a message of its own, with its results behind it. `partsOf` reads what is neither text nor reasoning. */
export function stepsOf(role: Message['role'], parts: readonly Fields[], partsOf: (part: Fields) => readonly Part[]): readonly Message[] {
  const messages: Message[] = []
  let step: Part[] = []
  const close = (): void => {
    const isResult = ({ type }: Part): boolean => type === 'tool-result'
    messages.push(
      ...withParts(
        role,
        step.filter((part) => !isResult(part)),
      ),
      ...withParts('tool', step.filter(isResult)),
    )
    step = []
  }
  for (const part of parts) {
    if (part['type'] === 'step-start') close()
    else if (part['type'] === 'text') step.push(...textParts(text(part['text'])))
    else if (part['type'] === 'reasoning') step.push({ type: 'reasoning', text: text(part['text']) })
    else step.push(...partsOf(part))
  }
  close()
  return messages
}

/** Texts of a content that is a text or a list of blocks. */
export function contentText(content: unknown): string {
  return typeof content === 'string'
    ? content
    : list(content)
        .map((block) => text(block['text']))
        .filter(Boolean)
        .join('\n')
}
