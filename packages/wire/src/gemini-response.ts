import { type OpaquePart, readOpaque, type TextPart } from '@precis/core'
import { type Fields, fields, isSome, text } from './json.ts'

/** Characters of the fields beside the output, as JSON, that stay as they are whatever becomes of it. */
const few = 200

/** The field that holds the answer, and the others where those are few; undefined where the response is one value, as the API takes it then. */
function answerIn(response: Fields): { readonly name: 'output' | 'error'; readonly beside: Fields } | undefined {
  const name = isError(response) ? 'error' : 'output'
  if (response[name] === undefined || response[name] === null) return undefined
  const beside = Object.fromEntries(Object.entries(response).filter(([other, held]) => other !== name && held !== undefined && held !== null))
  return text(beside).length > few ? undefined : { name, beside }
}

/** Whether a function's response is an error: many have the field, and nothing in it. */
export const isError = (response: unknown): boolean => isSome(fields(response)['error'])

/** A function's response as a text: the output or the error, then the fields beside it, which are counted apart too, as they stay. */
export function readResponse(response: unknown): readonly (TextPart | OpaquePart)[] {
  const own = answerIn(fields(response))
  if (own === undefined) return [{ type: 'text', text: text(response) }]
  const said: TextPart = { type: 'text', text: text(fields(response)[own.name]) }
  return isSome(own.beside) ? [said, { type: 'text', text: text(own.beside) }, readOpaque('response', own.beside)] : [said]
}

/** The response with another text for its output or its error. */
export function withAnswer(response: unknown, said: string): Fields {
  const own = answerIn(fields(response))
  if (own === undefined) return { [isError(response) ? 'error' : 'output']: said }
  // What stays beside it need not be there twice.
  const end = `\n${text(own.beside)}`
  return { ...fields(response), [own.name]: said.endsWith(end) ? said.slice(0, -end.length) : said }
}
