/** An object of a JSON body whose fields nobody has looked at yet. */
export type Fields = Readonly<Record<string, unknown>>

export const isFields = (value: unknown): value is Fields => typeof value === 'object' && value !== null && !Array.isArray(value)

/** The value's fields; none where it is no object. */
export const fields = (value: unknown): Fields => (isFields(value) ? value : {})

export const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

/** A list as itself, and one object as a list of one: some clients leave the brackets out. */
export const listOf = (value: unknown): readonly unknown[] => (isFields(value) ? [value] : list(value))

/** Whether a value is there and not empty: no null, false, "", [] or {}. */
export const isSome = (value: unknown): boolean => Boolean(value) && (typeof value !== 'object' || Object.keys(value as object).length > 0)

/** A string as itself, nothing as "", anything else as JSON. Total: what JSON cannot say is "". */
export function text(value: unknown): string {
  if (typeof value === 'string') return value
  if (value === undefined || value === null) return ''
  try {
    return JSON.stringify(value) ?? ''
  } catch {
    return ''
  }
}

/** Texts of a content that is a text, a block or a list of blocks, a line break between them. */
export function contentText(content: unknown): string {
  if (typeof content === 'string') return content
  return listOf(content)
    .map((block) => (typeof block === 'string' ? block : text(fields(block)['text'])))
    .filter((one) => one !== '')
    .join('\n')
}

/** Arguments as the object that an API wants; a text that is none under a name of its own. */
export function argumentsOf(input: string): Fields {
  try {
    const value: unknown = JSON.parse(input)
    if (isFields(value)) return value
  } catch {}
  return { input }
}
