import { builtInEstimator, type MessageCodec, neutralCodec } from '@precis/core'
import { wires } from '@precis/wire'
import { createCodec } from '@precis/wire/ai-sdk'
import { createCodec as createAgentsCodec } from '@precis/wire/openai-agents'
import { foreignFormats, openWire } from './foreign.ts'
import { type Fields, type ForeignFormat, fields, type Opened } from './foreign-parts.ts'
import { checkedNeutral, readRecorded } from './neutral-shape.ts'
import { quotedLine } from './quoted-line.ts'
import { type RecordedUsage, usageOf } from './recorded-usage.ts'
import { TranscriptError } from './transcript-error.ts'

/** Formats that are recognized by their content. */
export type TranscriptFormat = 'neutral' | 'recorded' | 'ai-sdk' | 'openai-agents' | ForeignFormat['format']

/** One conversation, with the codec that reads its messages. */
export interface Transcript extends Omit<Opened, 'read' | 'rest'> {
  readonly name: string
  readonly format: TranscriptFormat
  // The message type depends on the format; the codec is the one that goes with it.
  readonly messages: readonly unknown[]
  /** Tokens of what a request's body carries beside its messages: instructions and tools. */
  readonly overhead?: { readonly system: number; readonly tools: number }
  /** What the log itself says that its calls used; absent where it says nothing. */
  readonly usage?: RecordedUsage
  /** The agent itself compacted in front of this message: those before it have left its context. */
  readonly since?: number
  /** Numbers of lines, from 1, by the values that stand there; absent where the file is one JSON value. */
  readonly lines?: ReadonlyMap<unknown, number>
  /** Number of the last line, which was only half written and is left out: the session is still running. */
  readonly unfinished?: number
}

/** @throws TranscriptError */
export function parseTranscripts(text: string, name: string): readonly Transcript[] {
  const { values, numbers, unfinished } = parseValues(withoutMark(text), name)
  const cut = unfinished === undefined ? {} : { unfinished }
  if (!areHolders(values, (at) => `${name}, ${numbers === undefined ? `value ${at + 1}` : `line ${numbers[at]}`}`)) {
    const lines = numbers === undefined ? {} : { lines: new Map(values.map((value, at) => [value, numbers[at] as number])) }
    return [{ ...transcriptOf(values, name), ...lines, ...cut }]
  }
  return values.map((value, at) => {
    const { id } = fields(value)
    return { ...besideMessages(fields(value)), ...transcriptOf(heldBy(value) ?? [], typeof id === 'string' ? id : `${name}#${at + 1}`), ...cut }
  })
}

/** Whether the values hold messages each, or are messages themselves. @throws TranscriptError at the first that is neither like the ones before it. */
function areHolders(values: readonly unknown[], placeOf: (at: number) => string): boolean {
  const held = values.map((value) => heldBy(value) !== undefined)
  const odd = held.findIndex((one) => one !== held[0])
  // Messages may have lists of such names themselves: their type says what they are.
  const isMessage = (value: unknown): boolean => typeof fields(value)['type'] === 'string'
  if (odd < 0 || values.every((value, at) => held[at] === false || isMessage(value))) return odd < 0 && held[0] === true
  if (held[0] === true) throw notHolding(placeOf(odd))
  throw new TranscriptError(`${placeOf(odd)}: it holds "${heldUnder(fields(values[odd]))}", and the values before it are messages themselves.`, {
    hint: 'Put it into a file of its own.',
  })
}

export const notHolding = (place: string): TranscriptError => new TranscriptError(`${place}: expected "messages", as the lines before have.`)

export const holdingNone = (name: string, format: string): TranscriptError =>
  new TranscriptError(`${name} looks like ${format}, but no message was found in it.`, {
    hint: 'Is it the right file? compactctl alone lists the sessions of agents on this machine.',
  })

/** A text without the byte order mark that some editors put in front. */
export const withoutMark = (text: string): string => (text.startsWith('\ufeff') ? text.slice(1) : text)

/** Under what name one value holds the messages of a conversation, as a request's body does. What has a role is a message itself. */
export function heldUnder(value: object): 'messages' | 'contents' | 'input' | undefined {
  const own = fields(value)
  return typeof own['role'] === 'string' ? undefined : (['messages', 'contents', 'input'] as const).find((name) => Array.isArray(own[name]))
}

/** The messages that one value holds. */
export function heldBy(value: unknown): readonly unknown[] | undefined {
  const name = heldUnder(fields(value))
  return name === undefined ? undefined : (fields(value)[name] as readonly unknown[])
}

/** What a request's body carries beside its messages, in the words of any provider. */
function besideMessages(body: Fields): Pick<Transcript, 'overhead'> {
  const tokensOf = (...values: readonly unknown[]): number =>
    values.reduce(
      (sum: number, value) => sum + (value === undefined ? 0 : builtInEstimator.count(typeof value === 'string' ? value : JSON.stringify(value))),
      0,
    )
  const overhead = {
    system: tokensOf(body['system'], body['instructions'], body['systemInstruction'], body['system_instruction']),
    tools: tokensOf(body['tools'], body['functions']),
  }
  return overhead.system + overhead.tools > 0 ? { overhead } : {}
}

interface Values {
  readonly values: readonly unknown[]
  /** Of their lines, from 1; absent where the text is one JSON value. */
  readonly numbers?: readonly number[]
  readonly unfinished?: number
}

function parseValues(text: string, name: string): Values {
  const trimmed = text.trim()
  if (trimmed === '') throw new TranscriptError(`${name} is empty.`, { hint: 'Expected messages as JSON Lines or a JSON array.' })
  if (trimmed.startsWith('[')) {
    const value = parseJson(trimmed)
    if (Array.isArray(value)) return { values: value }
    throw new TranscriptError(`${name} begins like a JSON array but is not valid JSON. Was it cut off?`)
  }
  const whole = parseJson(trimmed)
  if (typeof whole === 'object' && whole !== null) return { values: [whole] }
  const lines = text.split('\n')
  const [values, numbers]: [unknown[], number[]] = [[], []]
  for (const [at, line] of lines.entries()) {
    if (line.trim() === '') continue
    const value = parseJson(line)
    if (typeof value === 'object' && value !== null) numbers[values.push(value) - 1] = at + 1
    else if (isUnfinished(line, at + 1 === lines.length && values.length > 0)) return { values, numbers, unfinished: at + 1 }
    else
      throw new TranscriptError(`${name}, line ${at + 1}: expected a JSON object, found ${quotedLine(line)}.`, {
        hint: 'Each line of a JSON Lines file holds one message.',
      })
  }
  return { values, numbers }
}

/** A line that somebody is still writing: the last one, without its line feed, and the beginning of an object. */
export function isUnfinished(line: string, isLast: boolean): boolean {
  return isLast && line.trimStart().startsWith('{')
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const known =
  'neutral, OpenAI Chat, OpenAI Responses, OpenAI Agents items, Anthropic Messages, Gemini contents, AI SDK ModelMessages and UIMessages, stored LangChain messages, session logs of Claude Code, Codex, pi, Gemini CLI and OpenCode'

/** How the messages of one conversation are read: by the shape that its first values have. */
export interface Shape extends Opened {
  readonly format: TranscriptFormat
}

function transcriptOf(values: readonly unknown[], name: string): Transcript {
  const { format, codec, read, rest = () => [], write, writable } = shapeOf(values, name)
  const messages: unknown[] = []
  let since = 0
  for (const value of values) {
    if (isOwnCompaction(fields(value))) since = messages.push(...rest())
    messages.push(...read(value))
  }
  messages.push(...rest())
  if (messages.length === 0) throw holdingNone(name, format)
  const usage = usageOf(values)
  return { name, format, messages, codec, write, writable, ...(usage !== undefined && { usage }), ...(since > 0 && since < messages.length && { since }) }
}

/** Lines by which Claude Code, Codex and pi say that they compacted. */
function isOwnCompaction({ type, subtype }: Fields): boolean {
  return (type === 'system' && subtype === 'compact_boundary') || type === 'compacted' || type === 'compaction'
}

/** @throws TranscriptError where the values are no messages of a known shape. */
export function shapeOf(messages: readonly unknown[], name: string): Shape {
  const values = messages.map(fields)
  const asIs = { read: (message: unknown): readonly unknown[] => [message], write: (all: readonly unknown[]) => all, writable: true }
  if (values.some((value) => typeof value['callId'] === 'string' && typeof value['type'] === 'string'))
    return { format: 'openai-agents', codec: createAgentsCodec<unknown>(), ...asIs }
  const foreign = foreignFormats.find((one) => one.matches(values))
  if (foreign !== undefined) return { format: foreign.format, ...foreign.open() }
  messages.forEach((message, at) => {
    if (typeof (message as { role?: unknown } | null)?.role === 'string') return
    throw new TranscriptError(`${name}, message ${at + 1}: expected an object with a "role". Known shapes: ${known}.`, { isOther: true })
  })
  const format = detectFormat(values, name)
  switch (format) {
    case 'recorded':
      return { format, codec: neutralCodec as MessageCodec<unknown>, ...asIs, read: (message) => [readRecorded(message)], writable: false }
    case 'neutral':
      return { format, codec: neutralCodec as MessageCodec<unknown>, ...asIs, read: (message) => [checkedNeutral(message, name)] }
    case 'openai-chat':
      return { format, ...openWire(wires[format]) }
    case 'ai-sdk':
      return { format, codec: createCodec<unknown>(), ...asIs }
  }
}

function detectFormat(messages: readonly Readonly<Record<string, unknown>>[], name: string): 'neutral' | 'recorded' | 'openai-chat' | 'ai-sdk' {
  const has = (test: (message: Readonly<Record<string, unknown>>) => boolean): boolean => messages.some(test)
  if (has((message) => Array.isArray(message['parts']))) {
    const odd = messages.findIndex((message) => !Array.isArray(message['parts']))
    if (odd < 0) return 'neutral'
    throw new TranscriptError(`${name}, message ${odd + 1}: expected "parts", as the other messages have. Known shapes: ${known}.`)
  }
  if (has((message) => Array.isArray(message['toolCalls']) || typeof message['toolCallId'] === 'string')) return 'recorded'
  if (
    has(
      (message) =>
        Array.isArray(message['content']) &&
        (message['content'] as readonly { type?: unknown }[]).some(
          (part) => part?.type === 'tool-call' || part?.type === 'tool-result' || part?.type === 'reasoning',
        ),
    )
  )
    return 'ai-sdk'
  const odd = messages.findIndex(
    (message) =>
      typeof message['content'] !== 'string' && !Array.isArray(message['content']) && message['tool_calls'] === undefined && message['content'] !== null,
  )
  if (odd < 0) return 'openai-chat'
  throw new TranscriptError(`${name}, message ${odd + 1}: it has a role but neither "parts" nor "content". Known shapes: ${known}.`)
}
