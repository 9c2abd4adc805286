import { mapParts, mapText } from '../history/map-texts.ts'
import { memoized } from '../history/memoize.ts'
import type { Message, Part } from '../history/message.ts'
import type { Redactor } from './redactor.ts'

/** Messages and their parts as they may leave the process: read once each. Whatever is cut, quoted or counted for elsewhere is made of these. */
export interface RedactedReading {
  message(message: Message): Message
  part<P extends Part>(part: P): P
}

/** @param redact undefined: nothing is redacted, and everything is handed back as it is. */
export function redactedReading(redact: Redactor | undefined): RedactedReading {
  if (redact === undefined) return { message: (message) => message, part: (part) => part }
  const [messages, parts] = [new WeakMap<Message, Message>(), new WeakMap<Part, Part>()]
  const part = <P extends Part>(given: P): P => memoized(parts, given, () => mapText(given, redact)) as P
  return {
    part,
    message(given) {
      const known = messages.get(given)
      if (known !== undefined) return known
      const read = mapParts(given, part)
      // Most hold no secret: their parts are remembered, and that is enough.
      if (read !== given) messages.set(given, read)
      return read
    },
  }
}
