/** For adapters: a provider accepted a request, and refused it in the stream before any content. `cause` is what it said. */
export class RefusedInStream extends Error {
  readonly #ours = true
  /** Looks for our own mark alone: some errors of others throw when a field of theirs is read. */
  static is(error: unknown): error is RefusedInStream {
    return typeof error === 'object' && error !== null && #ours in error
  }
}

/** What a provider said with an error. */
export function causeOf(error: unknown): unknown {
  return RefusedInStream.is(error) ? error.cause : error
}
