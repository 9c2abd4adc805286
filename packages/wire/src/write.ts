import { type Message, missingResultText, type ToolResultPart } from '@precis/core'
import { fields } from './json.ts'
import type { Block, Shape } from './shape.ts'
import type { WireMessage } from './wire.ts'

/**
 * The values of some messages. Pieces of one value become one again, and that very object while all are there and none is changed.
 *
 * @param source - The request's own messages, where they are known: what they hold of a result that moved.
 */
export function writeMessages(shape: Shape, given: readonly WireMessage[], source: readonly WireMessage[] = []): readonly unknown[] {
  const messages = withAnswers(shape, given, source)
  const written: unknown[] = []
  for (let at = 0; at < messages.length; ) {
    let end = at + 1
    while (end < messages.length && isOneWith(shape, messages[end - 1] as WireMessage, messages[end] as WireMessage)) end++
    written.push(...writeRun(shape, messages.slice(at, end)))
    at = end
  }
  return written
}

function isOneWith(shape: Shape, before: WireMessage, after: WireMessage): boolean {
  const [a, b] = [before.origin, after.origin]
  if (a !== undefined && a === b) return true
  // Two that followed one another in the request are left as they were.
  const asBefore = a !== undefined && b !== undefined && a.at + 1 === b.at && before.changed !== true && after.changed !== true
  return !asBefore && shape.joins(before.message, after.message)
}

function writeRun(shape: Shape, run: readonly WireMessage[]): readonly unknown[] {
  const [first] = run as [WireMessage]
  const { origin } = first
  const whole = origin !== undefined && run.length === origin.pieces && run.every((one) => one.origin === origin && one.changed !== true)
  if (whole) return [origin.value]
  const message: Message = { ...first.message, parts: run.flatMap((one) => one.message.parts) }
  return shape.assemble(
    message,
    run.flatMap(({ blocks }) => blocks),
    run.some((one) => one.origin !== undefined) ? Object.assign({}, ...run.map((one) => fields(one.origin?.value))) : undefined,
  )
}

/** A result that a compaction made: for a call without one, or in place of one that came too late. */
const isMade = ({ origin, message }: WireMessage): boolean => origin === undefined && message.role === 'tool'

/** Made results as the API wants them: what the request holds of them, or an answer in the kind of their call. A call that cannot be answered so is left out. */
function withAnswers(shape: Shape, messages: readonly WireMessage[], source: readonly WireMessage[]): readonly WireMessage[] {
  if (!messages.some(isMade)) return messages
  const own = resultsIn(source)
  const calls = new Map<string, { readonly at: number; readonly block: unknown }>()
  const left = new Set<number>()
  const answered = messages.map((message, at): WireMessage => {
    const { parts } = message.message
    for (const [place, part] of parts.entries()) if (part.type === 'tool-call') calls.set(part.callId, { at, block: message.blocks[place] })
    if (!isMade(message)) return message
    const pairs = parts.flatMap((part, place): readonly Block[] => {
      const call = part.type === 'tool-result' ? calls.get(part.callId) : undefined
      const kept = part.type === 'tool-result' ? ownBlock(shape, part, own.get(part.callId)) : undefined
      if (kept !== undefined || part.type !== 'tool-result' || call === undefined || shape.answer === undefined) return [[part, kept ?? message.blocks[place]]]
      const block = shape.answer(call.block, part)
      if (block === undefined) left.add(call.at)
      return block === undefined ? [] : [[part, block]]
    })
    if (pairs.length === 0) left.add(at)
    return { ...message, message: { ...message.message, parts: pairs.map(([part]) => part) }, blocks: pairs.map(([, block]) => block) }
  })
  return left.size === 0 ? answered : answered.filter((_, at) => !left.has(at) && !isCutOff(answered, left, at))
}

type Result = readonly [part: ToolResultPart, block: unknown]

function resultsIn(source: readonly WireMessage[]): ReadonlyMap<string, readonly Result[]> {
  const results = new Map<string, Result[]>()
  for (const { message, blocks } of source) {
    for (const [at, part] of message.parts.entries()) {
      if (part.type !== 'tool-result') continue
      const known = results.get(part.callId)
      if (known === undefined) results.set(part.callId, [[part, blocks[at]]])
      else known.push([part, blocks[at]])
    }
  }
  return results
}

/** What the request itself holds of a result, in the text that was made of it. Ids may be used again: the same text decides, then the newest. */
function ownBlock(shape: Shape, { output }: ToolResultPart, results: readonly Result[] = []): unknown {
  if (output === missingResultText) return undefined
  const same = results.find(([part]) => part.output === output)
  const [, block] = same ?? results.at(-1) ?? []
  return same !== undefined || block === undefined ? block : shape.withOutput(block, output, false)
}

/** Whether a thought is the last of its reply now: a provider refuses it without what it led to. */
function isCutOff(messages: readonly WireMessage[], left: ReadonlySet<number>, at: number): boolean {
  if (!isThought(messages[at])) return false
  let next = at + 1
  while (isThought(messages[next]) || (left.has(next) && messages[next]?.message.role === 'assistant')) next++
  return messages[next]?.message.role !== 'assistant'
}

function isThought(message: WireMessage | undefined): boolean {
  const parts = message?.message.parts ?? []
  return parts.length > 0 && parts.every((part) => part.type === 'reasoning')
}
