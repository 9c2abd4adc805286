import type { Message, Part } from '@precis/core'
import { argumentsOf, contentText, type Fields, fields, isFields, list, text } from './json.ts'
import { wireOf } from './request.ts'
import { attachmentsOf, type Block, createIds, madeUp, piecesOf, type Shape, unknownPiece } from './shape.ts'
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

const heldIn = (part: Fields): Fields | undefined => field(part, 'inlineData') ?? field(part, 'fileData')
const mediaTypeOf = (held: Fields): string => text(held['mimeType'] ?? held['mime_type'] ?? 'application/*')

function readPart(value: unknown, ids: ReturnType<typeof createIds>): Part {
  const part = fields(value)
  // A signature may come alone, beside an empty text: it belongs to the turn.
  const signed = part['text'] === '' && part['thoughtSignature'] !== undefined
  if (typeof part['text'] === 'string' && !signed) return { type: part['thought'] === true ? 'reasoning' : 'text', text: part['text'] }
  const [asked, answered, held] = [field(part, 'functionCall'), field(part, 'functionResponse'), heldIn(part)]
  if (asked !== undefined) return { type: 'tool-call', callId: ids.asked(asked['id']), tool: text(asked['name']), input: text(asked['args'] ?? {}) }
  if (answered !== undefined) {
    const response = fields(answered['response'])
    return {
      type: 'tool-result',
      callId: ids.answered(answered['id']),
      tool: text(answered['name']),
      output: text(response['output'] ?? response['error'] ?? answered['response']),
      ...(response['error'] !== undefined && { isError: true }),
      ...attachmentsOf(list(answered['parts']), (part) => mediaTypeOf(heldIn(fields(part)) ?? {})),
    }
  }
  if (held !== undefined) return { type: 'media', mediaType: mediaTypeOf(held), data: held }
  return { type: 'opaque', kind: Object.keys(part)[0] ?? 'unknown', size: text(value).length, value }
}

function createReader(): (value: unknown, at: number) => readonly WireMessage[] {
  const ids = createIds()
  return (value, at) => {
    if (!isFields(value)) return unknownPiece(value, at)
    const blocks = list(value['parts']).map((part): Block => [readPart(part, ids), part])
    const role = value['role'] === 'model' ? 'assistant' : value['role'] === 'system' ? 'system' : 'user'
    return piecesOf(value, at, [
      { role: 'tool', blocks: blocks.filter(([part]) => part.type === 'tool-result') },
      { role, blocks: blocks.filter(([part]) => part.type !== 'tool-result') },
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
    changedIn(block, 'functionResponse', ({ parts, ...held }) => ({
      ...held,
      response: { [fields(held['response'])['error'] === undefined ? 'output' : 'error']: output },
      ...(parts !== undefined && keepAttachments && { parts }),
    })),
  assemble: ({ role }: Message, blocks, origin) => [{ ...origin, role: origin?.['role'] ?? (role === 'assistant' ? 'model' : 'user'), parts: blocks }],
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

/** Gemini's generateContent. Calls may have no ids: they are answered in order. */
export const gemini: Wire = wireOf(shape)
