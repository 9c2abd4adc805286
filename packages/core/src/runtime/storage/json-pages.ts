import { isObject } from '../../history/json.ts'
import { longestAnswer, pageOf } from '../../recall/paging.ts'
import { quotedTurn } from '../../record/texts/quote.ts'

/** Characters of JSON up to which a value is shown whole; and what of an entry stands in a list of entries. */
const whole = 4_000
const entryLength = 200

export interface JsonPageOptions {
  /** A JSON Pointer (RFC 6901), such as "/items/3/name"; "" or "/" for everything. */
  readonly path: string
  /** Number of the first entry, from 1 on. */
  readonly offset: number
  readonly limit: number
  /** First character of a text, from 1 on. */
  readonly column: number
}

/** One value of a document: whole where it is short, otherwise its entries one a line with what each holds, or its text from a column on. */
export function jsonPage(document: unknown, { path: asked, offset, limit, column }: JsonPageOptions): string {
  const path = asked === '/' ? '' : asked
  const found = resolve(document, path)
  if ('missing' in found) return found.missing
  const { value } = found
  const json = JSON.stringify(value, null, 1)
  if (json.length <= whole) return `${json}\n[the whole value]`
  if (typeof value === 'string') {
    const { text, next } = pageOf(value, column, longestAnswer / 2)
    return `${quotedTurn(text)}\n[${next === undefined ? 'end of the text' : `${value.length - next + 1} more characters; go on with path ${JSON.stringify(path)}, column ${next}`}]`
  }
  const entries = Object.entries(value as object)
  const shown: string[] = []
  let length = 0
  for (const [name, inner] of entries.slice(offset - 1, offset - 1 + limit)) {
    const line = quotedTurn(`${path}/${escaped(name)}: ${outline(inner)}`)
    length += line.length
    if (length > longestAnswer && shown.length > 0) break
    shown.push(line)
  }
  if (shown.length === 0) return `There are ${entries.length} entries; there is no entry ${offset}.`
  const next = offset + shown.length
  return [...shown, next > entries.length ? '[end of the entries]' : `[${entries.length - next + 1} more entries; go on with offset ${next}]`].join('\n')
}

/** A short value as JSON; of a long one, what and how much it is. */
function outline(value: unknown): string {
  const text = JSON.stringify(value)
  if (text.length <= entryLength) return text
  if (typeof value === 'string') return `${JSON.stringify(pageOf(value, 1, entryLength / 2).text)} [text of ${value.length} characters; read it by its path]`
  const count = Object.keys(value as object).length
  return `[${Array.isArray(value) ? `list of ${count} entries` : `object of ${count} fields`}, ${text.length} characters; read it by its path]`
}

function resolve(document: unknown, path: string): { readonly value: unknown } | { readonly missing: string } {
  let value = document
  let known = ''
  for (const name of path === '' ? [] : path.replace(/^\//, '').split('/').map(unescaped)) {
    const fields = isObject(value) ? (value as Readonly<Record<string, unknown>>) : {}
    if (!Object.hasOwn(fields, name)) {
      const names = Object.keys(fields)
      const there =
        names.length === 0
          ? 'no entries'
          : names
              .slice(0, 20)
              .map((one) => JSON.stringify(one))
              .join(', ') + (names.length > 20 ? ', …' : '')
      return { missing: `There is no ${JSON.stringify(name)} at path ${JSON.stringify(known)}; there: ${there}.` }
    }
    value = fields[name]
    known = `${known}/${escaped(name)}`
  }
  return { value }
}

const escaped = (name: string): string => name.replaceAll('~', '~0').replaceAll('/', '~1')
const unescaped = (name: string): string => name.replaceAll('~1', '/').replaceAll('~0', '~')
