import { readableMessage } from '../history/binary.ts'
import type { Message } from '../history/message.ts'
import type { Pieces } from '../history/pieces.ts'
import { longTextsOf } from './excerpts/sources.ts'
import { saysOf } from './facts/outcomes.ts'
import { skim } from './names/skim.ts'

/** Reads a message as far as a record will want to know it. What is found is remembered with the message: a record of it does not read it again. */
export function* readAhead(given: Message): Pieces<void> {
  const message = readableMessage(given)
  for (const part of message.parts) if (part.type === 'tool-result') saysOf(part)
  for (const { of, text } of longTextsOf(message)) {
    yield
    yield* skim(of, text)
  }
}
