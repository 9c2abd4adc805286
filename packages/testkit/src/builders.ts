import type { Message, Part } from '@precis/core'

/** A history in one line: `history(user('hi'), call('read', 'a', { path }), result('a', 'text'), assistant('done'))`. */
export function history(...messages: readonly (Message | readonly Message[])[]): readonly Message[] {
  return freezeDeep(messages.flat())
}

/** A system message. */
export const system = (text: string): Message => ({ role: 'system', parts: [{ type: 'text', text }] })
/** A request of the user. */
export const user = (text: string): Message => ({ role: 'user', parts: [{ type: 'text', text }] })
/** A reply without calls. */
export const assistant = (text: string): Message => ({ role: 'assistant', parts: [{ type: 'text', text }] })
/** The same message, protected: never summarized, edited or dropped. */
export const pinned = (message: Message): Message => ({ ...message, protected: true })
/** A user message with one attachment. */
export const image = (mediaType = 'image/png'): Message => ({
  role: 'user',
  parts: [
    { type: 'text', text: 'look' },
    { type: 'media', mediaType, bytes: 100_000 },
  ],
})

/** A request for a compaction that waits in the history. */
export const marker = (auto = false, focus?: string): Message => ({ role: 'user', parts: [{ type: 'marker', auto, ...(focus !== undefined && { focus }) }] })

/** An assistant message with one call; `calls` makes one with several. */
export const call = (tool: string, callId: string, input: unknown = {}, text = ''): Message => calls([[tool, callId, input]], text)

/** An assistant message with several calls. */
export function calls(list: readonly (readonly [tool: string, callId: string, input?: unknown])[], text = ''): Message {
  const parts: Part[] = text === '' ? [] : [{ type: 'text', text }]
  for (const [tool, callId, input] of list)
    parts.push({ type: 'tool-call', callId, tool, input: typeof input === 'string' ? input : JSON.stringify(input ?? {}) })
  return { role: 'assistant', parts }
}

/** A tool message with one result. */
export const result = (callId: string, output: string, more: { readonly tool?: string; readonly isError?: boolean } = {}): Message =>
  results([[callId, output]], more)

/** A tool message with several results. */
export function results(
  list: readonly (readonly [callId: string, output: string])[],
  more: { readonly tool?: string; readonly isError?: boolean } = {},
): Message {
  return {
    role: 'tool',
    parts: list.map(([callId, output]) => ({
      type: 'tool-result',
      callId,
      tool: more.tool ?? 'tool',
      output,
      ...(more.isError === true && { isError: true }),
    })),
  }
}

/** A call and its result. */
export const step = (tool: string, callId: string, input: unknown, output: string): readonly Message[] => [
  call(tool, callId, input),
  result(callId, output, { tool }),
]

/** Freezes a value and all it holds, so that a test fails where something is changed. */
export function freezeDeep<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !ArrayBuffer.isView(value) && !Object.isFrozen(value)) {
    Object.freeze(value)
    for (const inner of Object.values(value)) freezeDeep(inner)
  }
  return value
}
