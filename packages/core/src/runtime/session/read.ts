import type { Message } from '../../history/message.ts'
import type { SessionParts } from './session-parts.ts'

/** A history as one call found it: what the caller gave, the full history behind it, and the reading of that. */
export interface Read<M> {
  readonly given: readonly M[]
  readonly source: readonly M[]
  readonly messages: readonly Message[]
}

export function read<M>({ reader }: SessionParts<M>, given: readonly M[]): Read<M> {
  const source = reader.source(given)
  return { given, source, messages: reader.read(source) }
}
