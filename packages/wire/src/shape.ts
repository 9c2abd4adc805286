import { type Message, type Part, type Role, readOpaque, type Tokens, type ToolResultPart } from '@precis/core'
import { type Fields, isFields, isSome } from './json.ts'
import type { WireMessage, WireName, WireOrigin, WireTool } from './wire.ts'

/** What one API does in its own way. The rest is the same for all: `codec.ts`, `request.ts`. */
export interface Shape {
  readonly name: WireName
  recognizes(values: readonly unknown[]): boolean
  /** Reads one value after another; `at` is the place of each. */
  reader(): (value: unknown, at: number) => readonly WireMessage[]
  /** The block of a part that a compaction made: a text, a result. */
  block(part: Part, role: Role): unknown
  /** The block of a made result, where calls are answered in their own kind; undefined where nothing but the tool itself can answer: the call leaves too. */
  answer?(call: unknown, result: ToolResultPart): unknown
  /** The block with other arguments; undefined where they cannot be changed. */
  withInput(block: unknown, input: string): unknown
  /** The block with another output, with its attachments if they are kept; undefined where it cannot be changed. */
  withOutput(block: unknown, output: string, keepAttachments: boolean): unknown
  /** Values for the blocks of one message (undefined where a part stands beside another, or in another field), with the other fields of the value that it comes from. */
  assemble(message: Message, blocks: readonly unknown[], origin: Fields | undefined): readonly unknown[]
  /** Neighbors that the API wants in one message. */
  joins(before: Message, after: Message): boolean
  readonly body: BodyShape
}

/** Where the parts of a request's body stand. */
interface BodyShape {
  readonly list: 'messages' | 'input' | 'contents'
  system(body: Fields): string
  withSystem(body: Fields, system: string): Fields
  tools(body: Fields): readonly WireTool[]
  /** The value of `tools` for tools that were read or added. */
  withTools(body: Fields, tools: readonly WireTool[]): unknown
  maxOutput(body: Fields): unknown
  withMaxOutput(body: Fields, tokens: Tokens): Fields
}

/** A part and what stands for it in the request; undefined where that stands elsewhere in its message. */
export type Block = readonly [part: Part, block: unknown]

/** Some parts of one block: it stands for the first, and the others leave or stay with it. */
export const blocksFor = (block: unknown, parts: readonly Part[]): readonly Block[] => parts.map((part, at) => [part, at === 0 ? block : undefined])

/**
 * Pieces of one value: results in front, as the APIs want it. Pieces without blocks are left out, but for the last. A value that holds something, of which
 * nothing could be read, is kept whole.
 */
export function piecesOf(value: unknown, at: number, pieces: readonly { readonly role: Role; readonly blocks: readonly Block[] }[]): readonly WireMessage[] {
  const some = pieces.filter(({ blocks }) => blocks.length > 0)
  const unread: readonly Block[] = saysSomething(value) ? [[readOpaque('unknown', value), value]] : []
  const kept = some.length > 0 ? some : pieces.slice(-1).map(({ role }) => ({ role, blocks: unread }))
  const origin: WireOrigin = { value, pieces: kept.length, at }
  return kept.map(({ role, blocks }) => ({
    message: { role, parts: blocks.map(([part]) => part) },
    blocks: blocks.map(([, block]) => block),
    origin,
  }))
}

/** What a message has besides what it says, as it is sent and as it came. */
const around = new Set(['role', 'type', 'id', 'name', 'status', 'phase', 'cache_control', 'model', 'usage', 'stop_reason', 'stop_sequence'])

function saysSomething(value: unknown): boolean {
  return !isFields(value) || Object.entries(value).some(([name, held]) => !around.has(name) && typeof held !== 'number' && held !== true && isSome(held))
}

/** A value that is no message of the API: kept as it is, counted by its size. */
export function unknownPiece(value: unknown, at: number): readonly WireMessage[] {
  return piecesOf(value, at, [{ role: 'user', blocks: [[readOpaque('unknown', value), value]] }])
}
