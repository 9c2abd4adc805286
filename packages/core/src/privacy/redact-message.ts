import { mapParts, mapText } from '../history/map-texts.ts'
import { memoized } from '../history/memoize.ts'
import type { Message, Part } from '../history/message.ts'
import type { Redactor } from './redactor.ts'

/** Messages and their parts as they may leave the process: read once each. Whatever is cut, quoted or counted for elsewhere is made of these. */
export interface RedactedReading {
  message(message: Message): Message
  /** @param of The message that it is a part of: where that was read whole, it is known. */
  part<P extends Part>(part: P, of: Message | undefined): P
}

/** @param redact undefined: nothing is redacted, and everything is handed back as it is. */
export function redactedReading(redact: Redactor | undefined): RedactedReading {
  if (redact === undefined) return { message: (message) => message, part: (part) => part }
  const [messages, parts] = [new WeakMap<Message, Message>(), new WeakMap<Part, Part>()]
  const read = <P extends Part>(part: P): P => memoized(parts, part, () => mapText(part, redact)) as P
  return {
    part(given, of) {
      const whole = of && messages.get(of)
      if (of === undefined || whole === undefined) return read(given)
      return whole === of ? given : (whole.parts[of.parts.indexOf(given)] as typeof given)
    },
    message: (given) =>
      memoized(messages, given, () => {
        const whole = mapParts(given, read)
        // Each of them would take as much as the message does.
        for (const part of given.parts) parts.delete(part)
        return whole
      }),
  }
}
