/** Several amounts of tokens with commas between; a comma before three digits that follow one to three is a thousands separator: `32k,64,000` are two. */
export function splitTokens(text: string): readonly string[] {
  return text.match(/\d{1,3}(?:,\d{3})+(?![\w.])|[^,]+/g) ?? []
}
