export function isWord(code: number): boolean {
  return (code >= 97 && code <= 122) || (code >= 48 && code <= 57) || (code >= 65 && code <= 90)
}

export function isQuote(code: number): boolean {
  return code === 34 || code === 39 || code === 96
}

export function isBlank(text: string, at: number): boolean {
  const code = text.charCodeAt(at)
  return code === 32 || code === 9
}

export function isSpace(code: number): boolean {
  return code === 32 || (code >= 9 && code <= 13)
}

/** Letters, digits, `_`, `-`, `.`, `$`, `@`. */
export function isNameChar(code: number): boolean {
  return (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || (code >= 48 && code <= 57) || code === 95 || code === 45 || code === 46 || code === 36
}

/** Where a value without quotes ends: spaces, quotes, `,`, `;`, `&`, `<`, `>`, `\`, brackets. */
const stops: ReadonlySet<number> = new Set([...'"\'`,;&<>\\[]{}()|'].map((char) => char.charCodeAt(0)))

export function isStop(code: number): boolean {
  return isSpace(code) || stops.has(code)
}
