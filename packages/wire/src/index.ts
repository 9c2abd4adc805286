import { anthropic } from './anthropic.ts'
import { gemini } from './gemini.ts'
import { openaiChat } from './openai-chat.ts'
import { openaiResponses } from './openai-responses.ts'
import type { Wire, WireName } from './wire.ts'

export type { Wire, WireChanges, WireMessage, WireName, WireOrigin, WireProblem, WireReading, WireRequest, WireTool } from './wire.ts'

/** Every API that can be read and written, by name. */
export const wires: Readonly<Record<WireName, Wire>> = { 'openai-chat': openaiChat, 'openai-responses': openaiResponses, anthropic, gemini }

/** The API of a request by the path of its address; undefined where it is none of these. */
export function wireAt(path: string): Wire | undefined {
  const plain = path.replace(/[?#].*$/s, '')
  if (/:(?:stream)?generateContent$/i.test(plain)) return gemini
  if (/\/chat\/completions$/.test(plain)) return openaiChat
  if (/\/responses$/.test(plain)) return openaiResponses
  return /\/messages$/.test(plain) ? anthropic : undefined
}
