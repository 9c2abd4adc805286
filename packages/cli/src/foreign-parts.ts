import type { Message, Part } from '@precis/core'

export type Fields = Readonly<Record<string, unknown>>

/** A shape that we read and do not write: what is made of it is written in our own. */
export interface ForeignFormat {
  readonly format: 'anthropic' | 'openai-responses' | 'gemini' | 'langchain' | 'ui-messages' | 'claude-code' | 'codex' | 'pi' | 'gemini-cli' | 'opencode'
  /** Found by looking at the values: the lines of a file, or the members of its list. */
  matches(values: readonly Fields[]): boolean
  /** Reads the values of one conversation, one after another. */
  reader(): (value: Fields) => readonly Message[]
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

/** Texts of a content that is a text or a list of blocks. */
export function contentText(content: unknown): string {
  return typeof content === 'string'
    ? content
    : list(content)
        .map((block) => text(block['text']))
        .filter(Boolean)
        .join('\n')
}
