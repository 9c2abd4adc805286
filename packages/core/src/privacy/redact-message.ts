import { mapParts, mapText } from '../history/map-texts.ts'
import { memoized } from '../history/memoize.ts'
import { type Message, type Part, partText } from '../history/message.ts'
import type { Pieces } from '../history/pieces.ts'
import { isAcross } from './redact-cut.ts'
import { longText, type Redactor, redacting } from './redactor.ts'

/** Messages and their parts as they may leave the process: read once each. Whatever is cut, quoted or counted for elsewhere is made of these. */
export interface RedactedReading {
  message(message: Message): Message
  /** Reads in pieces what takes a while, and all arguments: `part` and `message` know it then. */
  ahead(message: Message): Pieces<void>
  /** @param of The message that it is a part of: where that was read whole, it is known. */
  part<P extends Part>(part: P, of: Message | undefined): P
}

/** @param redact undefined: nothing is redacted, and everything is handed back as it is. */
export function redactedReading(redact: Redactor | undefined): RedactedReading {
  if (!redact) return { message: (message) => message, part: (part) => part, *ahead() {} }
  const [messages, parts] = [new WeakMap<Message, Message>(), new WeakMap<Part, Part>()]
  const read = <P extends Part>(part: P): P => memoized(parts, part, () => mapText(part, redact)) as P
  const message = (given: Message): Message =>
    memoized(messages, given, () => {
      const texts = given.parts.flatMap((part) => (part.type === 'text' && part.text !== '' ? [part.text] : []))
      // A secret may lie across two texts, as pieces of a stream are: then they are one.
      let joined = texts.some((text, at) => at > 0 && isAcross(texts[at - 1] as string, text, redact)) ? texts.join('') : undefined
      const whole = mapParts(given, (part) => {
        if (joined === undefined || part.type !== 'text') return read(part)
        const text = redact(joined)
        joined = ''
        return { ...part, text }
      })
      // Each of them would take as much as the message does.
      for (const part of given.parts) parts.delete(part)
      return whole
    })
  return {
    *ahead(message) {
      if (messages.has(message)) return
      yield
      for (const part of message.parts) {
        const text = partText(part)
        if (parts.has(part) || (text.length < longText && part.type !== 'tool-call')) continue
        const clean = yield* redacting(redact, text)
        parts.set(
          part,
          mapText(part, () => clean),
        )
      }
    },
    part(given, of) {
      const whole = of && (given.type === 'text' ? message(of) : messages.get(of))
      if (!of || !whole) return read(given)
      return whole === of ? given : (whole.parts[of.parts.indexOf(given)] as typeof given)
    },
    message,
  }
}

/** Messages as they may leave the process, one after another. */
export function* redactedInPieces(messages: readonly Message[], reading: RedactedReading): Pieces<readonly Message[]> {
  const read: Message[] = []
  for (const message of messages) {
    yield* reading.ahead(message)
    read.push(reading.message(message))
  }
  return read
}
