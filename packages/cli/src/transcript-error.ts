/** A file that is no transcript. The text says where, what was expected, and what to do. */
export class TranscriptError extends Error {
  constructor(message: string, options?: { readonly cause?: unknown }) {
    super(message, options)
    this.name = 'TranscriptError'
  }
}
