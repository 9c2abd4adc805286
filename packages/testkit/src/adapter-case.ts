import type { Message, MessageCodec } from '@precis/core'

/** What of a result some frameworks have no place for. */
export type ResultField = 'tool' | 'isError' | 'attachments'

/** A framework's messages, as far as a test needs to make them. */
export interface AdapterUnderTest<M> {
  readonly codec: MessageCodec<M>
  /** The framework's message for a neutral one: text, calls, results with their attachments, `id` where it has one, `protected`. */
  make(message: Message): M
  /** The framework has a message of its own for each result, or for each part. */
  readonly splits?: 'results' | 'parts'
  /** What of a result the framework has no place for, and is not looked for. Default: nothing. */
  readonly lacks?: readonly ResultField[]
  /** The framework's own conversion to its provider's shape; throws where it cannot. */
  convert?(messages: readonly M[]): unknown
}

/** A law of adapters as a test that any runner can call. Throws where it does not hold. */
export interface AdapterCase {
  readonly name: string
  /** @throws AssertionError where the rule does not hold. */
  run<M>(adapter: AdapterUnderTest<M>): Promise<void>
}
