export function isWord(code: number): boolean {
  return (code >= 97 && code <= 122) || (code >= 48 && code <= 57) || (code >= 65 && code <= 90)
}

export function isQuote(code: number): boolean {
  return code === 34 || code === 39 || code === 96
}

export function isBlank(text: string, at: number): boolean {
  const code = text.charCodeAt(at)
  // Also those that do not break, and those as wide as an ideograph.
  return code === 32 || code === 9 || code === 0xa0 || code === 0x3000
}

export function isSpace(code: number): boolean {
  return code === 32 || (code >= 9 && code <= 13)
}

/** Letters of Latin scripts, digits, `_`, `-`, `.`, `$`, and what does not show between letters. */
export function isNameChar(code: number): boolean {
  if (code > 127) return (code >= 0xc0 && code < 0x250 && code !== 0xd7 && code !== 0xf7) || (code >= 0x300 && code < 0x370) || isUnseen(code)
  return (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || (code >= 48 && code <= 57) || code === 95 || code === 45 || code === 46 || code === 36
}

/** A hyphen that shows at the end of a line only, and joiners without a width. */
function isUnseen(code: number): boolean {
  return code === 0xad || (code >= 0x200b && code <= 0x200d) || code === 0x2060 || code === 0xfeff
}

/** Where a value without quotes ends: spaces, quotes, `,`, `;`, `&`, `<`, `>`, `\`, brackets. */
const stops: ReadonlySet<number> = new Set([...'"\'`,;&<>\\[]{}()|'].map((char) => char.charCodeAt(0)))

export function isStop(code: number): boolean {
  return isSpace(code) || stops.has(code)
}
