/** A summary as it is kept: the model's text in its sections, and the record made by code. JSON. */
export interface Summary {
  readonly version: number
  /** The model's own text; "" when no model was asked or none answered acceptably. */
  readonly text: string
  /** The record made by code (see docs/record.md); "" when there was no room. */
  readonly record: string
  /** What the model was asked to keep word for word, beside its summary. */
  readonly retained?: string
  readonly sections: Readonly<Record<string, string>>
  /** Required headings that the text lacks. */
  readonly missing: readonly string[]
  readonly quality: SummaryQuality
}

/** What of a summary is sent. */
export type SummaryTexts = Pick<Summary, 'version' | 'text' | 'record' | 'retained'>

/** What can be said about a summary without understanding it. */
export interface SummaryQuality {
  /** Required headings that say nothing, or that they have nothing to say. */
  readonly empty: readonly string[]
  /** Names, quotations and claims that the source does not contain. */
  readonly unsupported: readonly string[]
  /** Failed attempts of the span, and how many of them summary and record still name. */
  readonly failedAttempts: { readonly known: number; readonly kept: number }
}
