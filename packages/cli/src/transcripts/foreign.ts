import { type MessageCodec, neutralCodec } from '@precis/core'
import { type Wire, wires } from '@precis/wire'
import { frameworkFormats } from './foreign-frameworks.ts'
import { logFormats } from './foreign-logs.ts'
import { type ForeignFormat, fields, type Opened } from './foreign-parts.ts'

/** Messages of a provider's API, read and written by `@precis/wire`. */
export const openWire = ({ codec, reader, write }: Wire): Opened => ({
  codec: codec as MessageCodec<unknown>,
  read: reader(),
  write: (messages) => write(messages as Parameters<Wire['write']>[0]),
  writable: true,
})

const wireFormat = (wire: Wire): ForeignFormat => ({
  format: wire.name,
  matches: wire.recognizes,
  open: () => openWire(wire),
})

/** A log: what is made of it is written in our own shape. */
const logs: readonly ForeignFormat[] = logFormats.map(({ format, matches, reader }) => ({
  format,
  matches,
  open() {
    const { read, rest } = reader()
    const codec = neutralCodec as MessageCodec<unknown>
    return { codec, read: (value) => read(fields(value)), ...(rest !== undefined && { rest }), write: (messages) => messages, writable: false }
  },
}))

const [langchain, uiMessages] = frameworkFormats
/** In the order in which they are looked for: logs first, whose lines hold messages of other shapes. */
export const foreignFormats: readonly ForeignFormat[] = [
  ...logs,
  wireFormat(wires['openai-responses']),
  langchain,
  wireFormat(wires.gemini),
  uiMessages,
  wireFormat(wires.anthropic),
]
