// What later work refers to, by the definition of the Future-Reference Recall metric. Independent of the record's own extractor on purpose: it measures that.

const patterns: readonly (readonly [kind: string, pattern: RegExp])[] = [
  ['url', /https?:\/\/[^\s"'<>)\]}]{4,190}/g],
  ['path', /(?:\.{0,2}\/)?(?:[\w@.-]+\/)+[\w@.-]+|\b[\w-]+\.(?:ts|tsx|js|mjs|py|go|rs|java|md|json|yaml|yml|toml|sh|css|html|sql|c|h|cpp|txt|csv)\b/g],
  [
    'id',
    /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b|\b(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{7,64}\b|\b[A-Z]{1,10}-\d+\b|\b[A-Z]{2,10}\d{2,}\b|#\d{2,}\b|\b[a-z]+_\d{4,}\b/g,
  ],
  ['symbol', /\b[a-z]+(?:[A-Z][a-z0-9]+)+\b|\b(?:[A-Z][a-z0-9]+){2,}\b|\b[a-z0-9]+(?:_[a-z0-9]+)+\b|\b[A-Z0-9]+(?:_[A-Z0-9]+)+\b/g],
  ['number', /\b\d{4,}\b|\b\d+\.\d{2,}\b/g],
]
const errorLine = /error|exception|fatal|panic|failed|cannot|undefined/i

/** Entities of one message's text: exact, 5–200 characters. */
export function entitiesOf(text: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>()
  const add = (kind: string, raw: string): void => {
    const value = raw.replace(/[.,:;]+$/, '')
    if (value.length >= 5 && value.length <= 200 && !found.has(value)) found.set(value, kind)
  }
  for (const [kind, pattern] of patterns) for (const match of text.matchAll(pattern)) add(kind, match[0])
  for (const line of text.split('\n')) {
    const trimmed = line.trim()
    if (trimmed.length >= 25 && trimmed.length <= 160 && errorLine.test(trimmed)) add('error', trimmed)
  }
  return found
}

/** Whether an entity stands in a text with no word character on either side. */
export function contains(text: string, entity: string): boolean {
  return occurrences(text, entity, 1).length > 0
}

export function occurrences(text: string, entity: string, most = 50): readonly number[] {
  const places: number[] = []
  const word = /[A-Za-z0-9_]/
  for (let at = text.indexOf(entity); at >= 0 && places.length < most; at = text.indexOf(entity, at + 1)) {
    const before = at > 0 && word.test(text.charAt(at - 1)) && word.test(entity.charAt(0))
    const end = at + entity.length
    const after = end < text.length && word.test(text.charAt(end)) && word.test(entity.charAt(entity.length - 1))
    if (!before && !after) places.push(at)
  }
  return places
}
