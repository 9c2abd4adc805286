/** One way of writing a summary: data only. Sections are Markdown headings of level 2, in this order. */
export interface StyleDefinition {
  readonly sections: readonly { readonly title: string; readonly ask: string }[]
  /** Rules beyond those that hold for every style. */
  readonly rules: readonly string[]
}
