/** Where something was put, or can be reached: a verb that says so, then a path, an address or a port. */
const placed =
  /\b(?:saved|stored|wrote|written|created|generated|exported|downloaded|uploaded|published|deployed|cloned|copied|moved|renamed|extracted|logged|persisted|output (?:file|is|was))\b(?:[^\n]{0,80}?(?:\b(?:to|at|in|as|into|under|on)\b:?|:|→|->))?\s*[`"'(<]{0,2}(?:https?:\/\/|~?\.{0,2}\/|[A-Za-z]:\\|\.?[\w@-]+\/|[\w-]+\.[a-z]{1,5}\b)/i
const reachable =
  /\b(?:listening|listens|running|serving|served|started|available|accessible|ready|bound|exposed)\b(?::? \.?[\w@-]+\/|[^\n]{0,60}?(?:https?:\/\/|localhost|\d{1,3}(?:\.\d{1,3}){3}|\bport:? ?\d{2,5}\b|:\d{4,5}\b))/i
const switched =
  /\b(?:switched to (?:a new )?branch|set up to track|pull request|merge request)\b[^\n]{0,60}?['"#\w]|^on branch \S|https?:\/\/\S+\/(?:pull|merge_requests|issues)\/\d+/i

/** A line of a file, a diff, a search, a log or a script shows what stands there, plans and tasks are no places: nothing was put anywhere. */
const shown =
  /^(?:\d+(?:→|\t|:\s|\| ?|-)|[+<>] |[+-]\S|\/\/|\* |# |import\b|[\w./@-]+[:-]\d+[:-]|echo |\w+ \+?= |task #|i(?:'ll| will)\b|(?:now )?let(?: me|'s)\b|(?:[0-9a-f]{7,} )?merge pull)/i

/** Characters of one line that may be a pointer, and lines of one text that are looked at. */
const longest = 240
const mostLines = 4_000

/** Lines that say where something was saved, was created, or listens: trimmed, as they stand, each once. */
export function pointersIn(text: string): readonly string[] {
  const found = new Set<string>()
  for (const line of text.split('\n', mostLines)) {
    if (line.length > longest * 2) continue
    const trimmed = line.trim()
    if (trimmed.length < 8 || trimmed.length > longest || shown.test(trimmed)) continue
    if (placed.test(trimmed) || reachable.test(trimmed) || switched.test(trimmed)) found.add(trimmed)
  }
  return [...found]
}
