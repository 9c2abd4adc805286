/** The first line of a message that carries a summary of ours. */
export const opening = (version: number): string => `<context-summary version="${version}">`

/** The last line of it. */
export const closing = '</context-summary>'

/** Reads the mark of a message that `renderSummary` made. @returns undefined for any other text. */
export function summaryMark(text: string): { readonly version: number } | undefined {
  const match = /^<context-summary version="(\d{1,9})">/.exec(text)
  return match === null ? undefined : { version: Number(match[1]) }
}
