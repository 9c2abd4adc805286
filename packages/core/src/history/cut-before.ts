/** The border at `end` (UTF-16 units), or just before it where a character would be cut in two. */
export function cutBefore(text: string, end: number): number {
  const code = text.charCodeAt(end)
  return end > 0 && code >= 0xdc00 && code < 0xe000 ? end - 1 : end
}
