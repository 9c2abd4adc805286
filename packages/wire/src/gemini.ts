import { type Message, type Part, readOpaque } from '@precis/core'
import { readFile } from './attachments.ts'
import { isError, readResponse, withAnswer } from './gemini-response.ts'
import { createIds, type Ids, madeUp } from './ids.ts'
import { argumentsOf, contentText, type Fields, fields, isFields, list, listOf, text } from './json.ts'
import { wireOf } from './request.ts'
import { type Held, resultParts } from './result-blocks.ts'
import { type Block, blocksFor, piecesOf, type Shape, unknownPiece } from './shape.ts'
import type { Wire, WireMessage, WireTool } from './wire.ts'

/** The API takes both spellings of a name; what is changed keeps its own. */
const spelled = (part: Fields, name: string): string | undefined => {
  const snake = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
  return part[name] !== undefined ? name : part[snake] !== undefined ? snake : undefined
}
const field = (part: Fields, name: string): Fields | undefined => {
  const own = spelled(part, name)
  return own === undefined ? undefined : fields(part[own])
}

/** A part that says or shows something, of a message or of a result. */
function readHeld(value: unknown): Held {
  const part = fields(value)
  const held = field(part, 'inlineData') ?? field(part, 'fileData')
  if (held === undefined) return readOpaque(Object.keys(part)[0] ?? 'unknown', value)
  const [mediaType, name] = [held['mimeType'] ?? held['mime_type'], held['displayName'] ?? held['display_name']]
  return readFile({
    mediaType: typeof mediaType === 'string' ? mediaType : undefined,
    data: held['data'] ?? held,
    name: typeof name === 'string' ? name : undefined,
  })
}

function readPart(value: unknown, ids: Ids): readonly Part[] {
  const part = fields(value)
  const { text: said, thought, thoughtSignature: signature } = part
  // A signature may come alone, beside an empty text: it belongs to the turn.
  const isSignature = said === '' && signature !== undefined
  if (typeof said === 'string' && !isSignature) {
    if (thought !== true) return [{ type: 'text', text: said }]
    return [{ type: 'reasoning', text: said, ...(typeof signature === 'string' && { sealed: true, sealedSize: signature.length }) }]
  }
  const [asked, answered] = [field(part, 'functionCall'), field(part, 'functionResponse')]
  if (asked !== undefined) {
    const { id, name, args } = asked
    return [{ type: 'tool-call', callId: ids.asked(id, name), tool: text(name), input: text(args ?? {}) }]
  }
  if (answered === undefined) return [readHeld(value)]
  const { id, name, response, parts } = answered
  const result = { callId: ids.answered(id, name), tool: text(name), ...(isError(response) && { isError: true }) }
  return resultParts(result, [...readResponse(response), ...listOf(parts).map(readHeld)])
}

function createReader(): (value: unknown, at: number) => readonly WireMessage[] {
  const ids = createIds()
  return (value, at) => {
    if (!isFields(value)) return unknownPiece(value, at)
    const read = listOf(value['parts']).map((part): readonly Block[] => blocksFor(part, readPart(part, ids)))
    const blocksOf = (isResult: boolean): readonly Block[] => read.filter(([first]) => (first?.[0].type === 'tool-result') === isResult).flat()
    const role = value['role'] === 'model' ? 'assistant' : value['role'] === 'system' ? 'system' : 'user'
    return piecesOf(value, at, [
      { role: 'tool', blocks: blocksOf(true) },
      { role, blocks: blocksOf(false) },
    ])
  }
}

function changedIn(block: unknown, name: string, change: (held: Fields) => Fields): unknown {
  const part = fields(block)
  const own = spelled(part, name)
  return own === undefined ? undefined : { ...part, [own]: change(fields(part[own])) }
}

function makeBlock(part: Part): unknown {
  if (part.type !== 'tool-result') return { text: part.type === 'text' ? part.text : '' }
  const id = part.callId.startsWith(madeUp) ? {} : { id: part.callId }
  return { functionResponse: { ...id, name: part.tool, response: { output: part.output } } }
}

/** Declarations one by one, and what the provider runs by the name of its kind. */
function readTools(body: Fields): readonly WireTool[] {
  return list(body['tools']).flatMap((group): readonly WireTool[] =>
    Object.entries(fields(group)).flatMap(([kind, held]): readonly WireTool[] => {
      if (kind !== 'functionDeclarations' && kind !== 'function_declarations') return [{ name: kind, value: { [kind]: held } }]
      return list(held).map((value) => {
        const { name, description, parameters, parametersJsonSchema } = fields(value)
        const schema = parametersJsonSchema ?? parameters
        return { name: text(name), ...(typeof description === 'string' && { description }), ...(schema !== undefined && { parameters: schema }), value }
      })
    }),
  )
}

/** All declarations in one group, then what the provider runs. */
function writeTools(_body: Fields, tools: readonly WireTool[]): readonly unknown[] {
  const isHosted = ({ value }: WireTool): boolean => isFields(value) && typeof value['name'] !== 'string'
  const declared = tools
    .filter((tool) => !isHosted(tool))
    .map(({ value, parameters, ...named }) =>
      value === undefined ? { ...named, ...(parameters !== undefined && { parametersJsonSchema: parameters }) } : value,
    )
  const groups = declared.length === 0 ? [] : [{ functionDeclarations: declared }]
  return [...groups, ...tools.filter(isHosted).map(({ value }) => value)]
}

const generation = (body: Fields): readonly [name: string, config: Fields] => {
  const name = spelled(body, 'generationConfig') ?? 'generationConfig'
  return [name, fields(body[name])]
}

const shape: Shape = {
  name: 'gemini',
  recognizes: (values) =>
    values.some((value) =>
      list(fields(value)['parts']).some((one) => {
        const part = fields(one)
        return part['type'] === undefined && ['text', 'functionCall', 'functionResponse'].some((name) => spelled(part, name) !== undefined)
      }),
    ),
  reader: createReader,
  block: makeBlock,
  withInput: (block, input) => changedIn(block, 'functionCall', (held) => ({ ...held, args: argumentsOf(input) })),
  withOutput: (block, output, keepAttachments) =>
    changedIn(block, 'functionResponse', ({ parts, ...held }) => {
      // What was a text is part of the output now.
      const kept = listOf(parts).filter((part) => ({ text: false, media: keepAttachments, opaque: true })[readHeld(part).type])
      return { ...held, response: withAnswer(held['response'], output), ...(kept.length > 0 && { parts: kept }) }
    }),
  assemble: ({ role }: Message, blocks, origin) => [
    { ...origin, role: origin?.['role'] ?? (role === 'assistant' ? 'model' : 'user'), parts: blocks.filter((block) => block !== undefined) },
  ],
  // As many answers as calls in the next message; and a model's calls follow what was said to it, never its own words in another message.
  joins: (before, after) =>
    (before.role === 'tool' && after.role === 'tool') ||
    (before.role === 'assistant' && after.role === 'assistant' && after.parts.some((part) => part.type === 'tool-call')),
  body: {
    list: 'contents',
    system: (body) => {
      const said = body[spelled(body, 'systemInstruction') ?? '']
      return typeof said === 'string' ? said : contentText(fields(said)['parts'])
    },
    withSystem: (body, system) => ({ ...body, [spelled(body, 'systemInstruction') ?? 'systemInstruction']: { parts: [{ text: system }] } }),
    tools: readTools,
    withTools: writeTools,
    maxOutput: (body) => generation(body)[1]['maxOutputTokens'] ?? generation(body)[1]['max_output_tokens'],
    withMaxOutput(body, tokens) {
      const [name, config] = generation(body)
      return { ...body, [name]: { ...config, [spelled(config, 'maxOutputTokens') ?? 'maxOutputTokens']: tokens } }
    },
  },
}

/** Gemini's generateContent. Calls and results may have no ids: they are paired by name and order. */
export const gemini: Wire = wireOf(shape)
