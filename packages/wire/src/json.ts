/** An object of a JSON body whose fields nobody has looked at yet. */
export type Fields = Readonly<Record<string, unknown>>

export const isFields = (value: unknown): value is Fields => typeof value === 'object' && value !== null && !Array.isArray(value)

/** The value's fields; none where it is no object. */
export const fields = (value: unknown): Fields => (isFields(value) ? value : {})

export const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

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

/** Texts of a content that is a text or a list of blocks, a line break between them. */
export function contentText(content: unknown): string {
  if (typeof content === 'string') return content
  return list(content)
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
