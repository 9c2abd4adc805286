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
  const part = <P extends Part>(given: P): P => memoized(parts, given, () => redactPart(given, redact)) as P
  return {
    part,
    message: (given) => memoized(messages, given, () => ({ ...given, parts: given.parts.map(part) })),
  }
}

function redactPart(part: Part, redact: Redactor): Part {
  switch (part.type) {
    case 'text':
    case 'reasoning':
      return { ...part, text: redact(part.text) }
    case 'tool-call':
      return { ...part, input: redact(part.input) }
    case 'tool-result':
      return { ...part, output: redact(part.output) }
    case 'media':
      return part.name === undefined ? part : { ...part, name: redact(part.name) }
    case 'marker':
      return part.focus === undefined ? part : { ...part, focus: redact(part.focus) }
    case 'approval':
    case 'opaque':
      return part
  }
}
