/** Text of a transcript on one line: what would move the cursor or change colors is gone. */
export function plain(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is removed
  return text.replace(/[\u0000-\u0020\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]+/g, ' ').trim()
}

/** Likewise for text of several lines: line feeds and tabs stay. */
export function plainLines(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is removed
  return text.replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]+/g, '')
}
