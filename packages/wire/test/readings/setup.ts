import { type Wire, type WireMessage, wires } from '../../src/index.ts'

export const { 'openai-chat': chat, 'openai-responses': responses, anthropic, gemini } = wires
export const read = (wire: Wire, ...values: readonly unknown[]): readonly WireMessage[] => values.flatMap(wire.reader())
