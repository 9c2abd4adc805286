import { asJson, isObject, parseJson } from '../history/json.ts'
import { finished, type Pieces } from '../history/pieces.ts'
import { type Redactor, redacting, redactorFrom } from './redactor.ts'

/**
 * The same value with its secrets replaced: each text in the light of the names above it (`{ password: "hunter2" }`, `{ password: { value: "hunter2" } }`),
 * and the whole as the JSON that it is (`{ name: "DB_PASSWORD", value: "hunter2" }`). Never changes its argument. Numbers under such names become tags too.
 * Bytes are named instead of written; what knows its own JSON (`toJSON`) is asked for it.
 *
 * @throws RangeError for a value that holds itself, or is nested thousands of levels deep; whatever the redactor throws.
 */
export function redactValue(value: unknown, redact: Redactor): unknown {
  return finished(valueInPieces(value, redact))
}

function* valueInPieces(value: unknown, redact: Redactor): Pieces<unknown> {
  const byName = yield* redactLeaf(value, [], redact)
  if (!isObject(byName)) return byName
  const text = JSON.stringify(byName)
  yield
  const hidden = yield* redacting(redact, text)
  return hidden === text ? byName : (parseJson(hidden) ?? byName)
}

/** Characters of a JSON text that is read as such: larger ones are files, and are redacted as text. */
const longestJson = 2_000_000

/**
 * A redactor that reads what is wholly JSON (arguments of calls, answers of services) by its names, as `redactValue` does. What is no secret stays as it is, byte
 * for byte: the layout, and numbers with all their digits.
 */
export function readingJson(redact: Redactor): Redactor {
  return redactorFrom(function* (text) {
    const hidden = yield* redacting(redact, text)
    if (hidden.length > longestJson || !/^\s*[[{][\s\S]*"/.test(hidden.slice(0, 1_000))) return hidden
    // A number that was found leaves no JSON: by its name it becomes a text. What never was JSON is undefined, and stays so.
    const value = parseJson(hidden) ?? parseJson(text)
    try {
      const clean = JSON.stringify(yield* valueInPieces(value, redact))
      yield
      if (clean === JSON.stringify(value)) return hidden
      // What changed is written into the text. All is written anew where names come twice, or numbers as names behind others.
      const now = clean.match(literals) as readonly string[]
      let at = 0
      const written = text.replace(literals, (one) => {
        const other = now[at++] as string
        return one === other || parseJson(one) === parseJson(other) ? one : other
      })
      yield
      return now[at] || JSON.stringify(parseJson(written)) !== clean ? clean : written
    } catch {
      return hidden // nested too deep to be looked at piece by piece
    }
  })
}

/** Names and values of a JSON text that hold no others. */
const literals = /"(\\.|[^"\\])*"|[\w.+-]+/g

/** Names that say where in a field a text stands, not what it is. */
const hollow = /^(?:values?|default|data|text|content|raw|current|plain|string|\d+|[$_#@].{0,10}|)$/i

/** Values that were looked at. */
let looked = 0

function* redactLeaf(value: unknown, path: readonly string[], redact: Redactor, depth = 0): Pieces<unknown> {
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'bigint') {
    const text = String(value)
    const hidden = yield* redactField(path, text, redact)
    return hidden === text && typeof value === 'number' ? value : hidden
  }
  if (!isObject(value)) return value
  // To go on from deep within takes as long as it is deep: the deeper, the less often others have their turn.
  if (looked++ % (1 + (depth >> 5)) === 0) yield
  if (Array.isArray(value)) {
    const items: unknown[] = []
    for (const item of value) items.push(yield* redactLeaf(item, path, redact, depth + 1))
    return items
  }
  if (ArrayBuffer.isView(value)) return { $bytes: value.byteLength }
  const json = asJson(value)
  if (json) return yield* redactLeaf(json(), path, redact)
  const fields = Object.entries(value)
  // `{ name: "DB_PASSWORD", value: … }`: what is called a name says what its neighbors are.
  const title = fields.find(([name, field]) => /^(?:name|key|variable|header|field|label|id)$/i.test(name) && typeof field === 'string')
  const said = title?.[1] as string | undefined
  const titled = said !== undefined && said.length <= 100 ? [said] : path
  const clean: [string, unknown][] = []
  for (const entry of fields) {
    const [name, field] = entry
    const under = entry === title ? path : hollow.test(name) ? titled : [name]
    clean.push([redact(name), yield* redactLeaf(field, under, redact, depth + 1)])
  }
  return Object.fromEntries(clean)
}

/** A text with the name that it stands under, as JSON has it; alone where there is none, or where the redactor left no JSON. */
function* redactField([name]: readonly string[], text: string, redact: Redactor): Pieces<string> {
  if (name === undefined || text === '') return yield* redacting(redact, text)
  const field = `${JSON.stringify(name)}:${JSON.stringify(text)}`
  const hidden = yield* redacting(redact, field)
  const [read] = hidden === field ? [] : Object.values((parseJson(`{${hidden}}`) ?? {}) as Readonly<Record<string, unknown>>)
  return yield* redacting(redact, typeof read === 'string' ? read : text)
}
