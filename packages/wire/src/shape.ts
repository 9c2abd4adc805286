import type { Message, Part, Role, Tokens, ToolResultPart } from '@precis/core'
import { type Fields, text } from './json.ts'
import type { WireMessage, WireName, WireOrigin, WireTool } from './wire.ts'

/** What one API does in its own way. The rest is the same for all: `codec.ts`, `request.ts`. */
export interface Shape {
  readonly name: WireName
  recognizes(values: readonly unknown[]): boolean
  /** Reads one value after another; `at` is the place of each. */
  reader(): (value: unknown, at: number) => readonly WireMessage[]
  /** The block of a part that a compaction made: a text, a result. */
  block(part: Part, role: Role): unknown
  /** The block with other arguments; undefined where they cannot be changed. */
  withInput(block: unknown, input: string): unknown
  /** The block with another output, with its attachments if they are kept; undefined where it cannot be changed. */
  withOutput(block: unknown, output: string, keepAttachments: boolean): unknown
  /** Values for the blocks of one message, with the other fields of the value that it comes from. */
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

/** A part and what stands for it in the request. */
export type Block = readonly [part: Part, block: unknown]

/** Pieces of one value: results in front, as the APIs want it. Pieces without blocks are left out, but for the last. */
export function piecesOf(value: unknown, at: number, pieces: readonly { readonly role: Role; readonly blocks: readonly Block[] }[]): readonly WireMessage[] {
  const some = pieces.filter(({ blocks }) => blocks.length > 0)
  const kept = some.length > 0 ? some : pieces.slice(-1)
  const origin: WireOrigin = { value, pieces: kept.length, at }
  return kept.map(({ role, blocks }) => ({
    message: { role, parts: blocks.map(([part]) => part) },
    blocks: blocks.map(([, block]) => block),
    origin,
  }))
}

/** What a result holds besides its text. */
export function attachmentsOf(blocks: readonly unknown[], mediaType: (block: unknown) => string): Pick<ToolResultPart, 'attachments'> {
  return blocks.length === 0 ? {} : { attachments: blocks.map((block) => ({ type: 'media', mediaType: mediaType(block), data: block })) }
}

/** A value that is no message of the API: kept as it is, counted by its size. */
export function unknownPiece(value: unknown, at: number): readonly WireMessage[] {
  return piecesOf(value, at, [{ role: 'user', blocks: [[{ type: 'opaque', kind: 'unknown', size: text(value).length, value }, value]] }])
}

/** Begins the ids of calls that came without one: nobody else knows them, so they are not written. */
export const madeUp = 'unnamed-'

/** Ids for calls without one, which are answered in order. The same for the same conversation, however often it is read. */
export function createIds(): { asked(id: unknown): string; answered(id: unknown): string } {
  const open: string[] = []
  let calls = 0
  return {
    asked(id) {
      if (typeof id === 'string') return id
      const made = `${madeUp}${++calls}`
      open.push(made)
      return made
    },
    answered: (id) => (typeof id === 'string' ? id : (open.shift() ?? '')),
  }
}
