import { codecOf } from './codec.ts'
import { type Fields, isFields } from './json.ts'
import type { Shape } from './shape.ts'
import type { Wire, WireChanges, WireMessage, WireReading, WireRequest } from './wire.ts'
import { writeMessages } from './write.ts'

/** The interface of one API, from what is its own. */
export function wireOf(shape: Shape): Wire {
  return {
    name: shape.name,
    codec: codecOf(shape),
    recognizes: shape.recognizes,
    reader: () => readerOf(shape),
    write: (messages) => writeMessages(shape, messages),
    readRequest: (body) => readRequest(shape, body),
    writeRequest: (request, changes) => writeRequest(shape, request, changes),
  }
}

function readerOf(shape: Shape): (value: unknown) => readonly WireMessage[] {
  const read = shape.reader()
  let at = 0
  return (value) => read(value, at++)
}

function readRequest(shape: Shape, body: unknown): WireReading {
  const { body: where } = shape
  if (!isFields(body)) return { ok: false, problem: { path: '', expected: 'an object', found: kindOf(body) } }
  const given = body[where.list]
  // OpenAI Responses takes one text for one message of a user.
  const values = where.list === 'input' && typeof given === 'string' ? [{ type: 'message', role: 'user', content: given }] : given
  if (!Array.isArray(values)) return { ok: false, problem: { path: where.list, expected: 'a list', found: kindOf(given) } }
  const [maxOutput, model] = [where.maxOutput(body), body['model']]
  const request: WireRequest = {
    body,
    messages: values.flatMap(readerOf(shape)),
    system: where.system(body),
    tools: where.tools(body),
    ...(typeof maxOutput === 'number' && { maxOutput }),
    ...(typeof model === 'string' && { model }),
  }
  return { ok: true, request }
}

function writeRequest(shape: Shape, request: WireRequest, changes: WireChanges): Fields {
  const { body: where } = shape
  const { messages, tools, system, maxOutput } = changes
  let body = request.body
  if (messages !== undefined && !same(messages, request.messages)) body = { ...body, [where.list]: writeMessages(shape, messages, request.messages) }
  if (tools !== undefined && !same(tools, request.tools)) body = { ...body, tools: where.withTools(body, tools) }
  if (system !== undefined && system !== where.system(body)) body = where.withSystem(body, system)
  if (maxOutput !== undefined && maxOutput !== request.maxOutput) body = where.withMaxOutput(body, maxOutput)
  return body
}

function same(a: readonly unknown[], b: readonly unknown[]): boolean {
  return a === b || (a.length === b.length && a.every((one, at) => one === b[at]))
}

function kindOf(value: unknown): string {
  return value === null
    ? 'null'
    : Array.isArray(value)
      ? 'a list'
      : typeof value === 'object'
        ? 'an object'
        : value === undefined
          ? 'nothing'
          : `a ${typeof value}`
}
