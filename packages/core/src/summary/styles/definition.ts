/** One way of writing a summary: data only. Sections are Markdown headings of level 2, in this order; none: free prose. */
export interface StyleDefinition {
  readonly sections: readonly StyleSection[]
  /** Further headings are no part of it: an answer that has any is refused. */
  readonly closed?: boolean
  /** Rules beyond those that hold for every style. */
  readonly rules: readonly string[]
}

interface StyleSection {
  readonly title: string
  /** What is asked for, in a few words. */
  readonly ask: string
}
