import type { Message, MessageCodec } from '@precis/core'

/** A framework's messages, as far as a test needs to make them. */
export interface AdapterUnderTest<M> {
  readonly codec: MessageCodec<M>
  /** The framework's message for a neutral one: text, calls, results, attachments, `protected`. */
  make(message: Message): M
  /** The framework has a message of its own for each result, or for each part. */
  readonly splits?: 'results' | 'parts'
  /** The framework's own conversion to its provider's shape; throws where it cannot. */
  convert?(messages: readonly M[]): unknown
}

/** A law of adapters as a test that any runner can call. Throws where it does not hold. */
export interface AdapterCase {
  readonly name: string
  /** @throws AssertionError where the rule does not hold. */
  run<M>(adapter: AdapterUnderTest<M>): Promise<void>
}
