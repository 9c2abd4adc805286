/** A file that is no transcript. The text says where and what was expected, `hint` what to write instead. */
export class TranscriptError extends Error {
  readonly hint: string | undefined
  /** It is sound JSON of something else. */
  readonly isOther: boolean
  constructor(message: string, options?: { readonly cause?: unknown; readonly hint?: string; readonly isOther?: boolean }) {
    super(message, options)
    this.name = 'TranscriptError'
    this.hint = options?.hint
    this.isOther = options?.isOther === true
  }
}
