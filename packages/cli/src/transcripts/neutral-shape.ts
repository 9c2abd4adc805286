import { fromRecorded } from '../replay/recorded.ts'
import { type Fields, fields, list, text } from './foreign-parts.ts'
import { TranscriptError } from './transcript-error.ts'

const roles: ReadonlySet<unknown> = new Set(['system', 'developer', 'user', 'assistant', 'tool'])

/** What each kind of part must have. Kinds that are not here are none of ours. */
const kinds: Readonly<Record<string, Readonly<Record<string, 'string' | 'number' | 'boolean'>>>> = {
  text: { text: 'string' },
  reasoning: { text: 'string' },
  media: { mediaType: 'string' },
  'tool-call': { callId: 'string', tool: 'string', input: 'string' },
  'tool-result': { callId: 'string', tool: 'string', output: 'string' },
  approval: { callId: 'string', state: 'string' },
  marker: { auto: 'boolean' },
  opaque: { kind: 'string', size: 'number' },
}

/** What is wrong with a part, in words; undefined where nothing is. */
function problemOf(part: Fields): string | undefined {
  const kind = part['type']
  const wanted = typeof kind === 'string' && Object.hasOwn(kinds, kind) ? kinds[kind] : undefined
  if (wanted === undefined) return `a part of type ${JSON.stringify(kind)}; known are ${Object.keys(kinds).join(', ')}`
  const odd = Object.entries(wanted).find(([name, type]) => typeof part[name] !== type)
  if (odd !== undefined) return `a ${String(kind)} whose "${odd[0]}" is no ${odd[1]}`
  const { attachments } = part
  if (
    attachments === undefined ||
    (Array.isArray(attachments) && list(attachments).every((one) => problemOf({ type: 'media', mediaType: one['mediaType'] }) === undefined))
  )
    return undefined
  return `a ${String(kind)} whose "attachments" are no media`
}

/** A neutral message as the file has it: nothing later looks at it with doubt. @throws TranscriptError */
export function checkedNeutral(message: unknown, name: string): unknown {
  const { role, parts } = fields(message)
  const problem = !roles.has(role)
    ? `the role ${JSON.stringify(role)}; known are ${[...roles].join(', ')}`
    : Array.isArray(parts)
      ? list(parts).map(problemOf).find(Boolean)
      : 'no "parts"'
  if (problem === undefined) return message
  throw new TranscriptError(`${name}: a neutral message has ${problem}.`, {
    hint: 'A neutral message is { "role", "parts": [{ "type", … }] }, as @precis/core declares it.',
  })
}

/** A message of a recorded session, whatever its fields hold. */
export function readRecorded(message: unknown): unknown {
  const { role, content, toolCalls, toolCallId, toolName, isError } = fields(message)
  return fromRecorded({
    role: text(role),
    content: text(content),
    toolCalls: list(toolCalls).map((call) => ({ id: text(call['id']), name: text(call['name']), arguments: (call['arguments'] ?? {}) as Fields })),
    toolCallId: text(toolCallId),
    toolName: text(toolName),
    isError: isError === true,
  })
}
