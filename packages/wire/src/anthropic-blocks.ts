import { type Part, readOpaque } from '@precis/core'
import { readFile } from './attachments.ts'
import { contentText, type Fields, fields, list, listOf, text } from './json.ts'
import { type BlockEdits, type Held, resultParts } from './result-blocks.ts'

/** Blocks of Anthropic's messages. A result holds blocks too, fewer of them. */
export function blocksIn(content: unknown): readonly unknown[] {
  if (typeof content === 'string') return content === '' ? [] : [{ type: 'text', text: content }]
  return listOf(content)
}

/** @param isApart - Whether of a provider's own call and its answer only one stands in this message. */
export function readBlock(block: unknown, isApart: (id: unknown) => boolean): readonly Part[] {
  const { type, thinking, signature, id, name, input, tool_use_id, content, is_error, caller } = fields(block)
  if (type === 'thinking') {
    return [{ type: 'reasoning', text: text(thinking), sealed: true, ...(typeof signature === 'string' && { sealedSize: signature.length }) }]
  }
  if (type === 'tool_use') {
    const { tool_id: program } = fields(caller)
    return [{ type: 'tool-call', callId: text(id), tool: text(name), input: text(input ?? {}), ...(typeof program === 'string' && { caller: program }) }]
  }
  if (type === 'tool_result') {
    return resultParts({ callId: text(tool_use_id), tool: '', ...(is_error === true && { isError: true }) }, blocksIn(content).flatMap(readInResult))
  }
  // What the provider runs itself is kept whole. In one message its halves stay together; in two they are a call and its result.
  if (isOwnCall(block) && isApart(id)) {
    return [{ type: 'tool-call', callId: text(id), tool: text(name), input: text(input ?? {}), providerExecuted: true }]
  }
  if (isOwnAnswer(block) && isApart(tool_use_id)) return resultParts({ callId: text(tool_use_id), tool: '' }, [readOpaque(text(type), block)])
  return [readHeld(block)]
}

const isOwnCall = (block: unknown): boolean => /.tool_use$/.test(text(fields(block)['type']))
const isOwnAnswer = (block: unknown): boolean => fields(block)['tool_use_id'] !== undefined && fields(block)['type'] !== 'tool_result'

/** Tells of a provider's own call whether only it, or only its answer, is among these blocks. */
export function apartIn(blocks: readonly unknown[]): (id: unknown) => boolean {
  const asked = new Set(blocks.filter(isOwnCall).map((block) => fields(block)['id']))
  const answered = new Set(blocks.filter(isOwnAnswer).map((block) => fields(block)['tool_use_id']))
  return (id) => asked.has(id) !== answered.has(id)
}

/** A block that says or shows something, in a message or in a result. */
function readHeld(block: unknown): Held {
  if (typeof block === 'string') return { type: 'text', text: block }
  const { type, text: said, source, title, context, content } = fields(block)
  if (type === 'text') return { type: 'text', text: text(said) }
  if (type === 'search_result') return { type: 'text', text: joined(title, source, contentText(content)) }
  if (type !== 'image' && type !== 'document') return readOpaque(text(type), block, type === 'compaction' ? { barrier: true } : {})
  const { type: kind, media_type, data, url, content: inside } = fields(source)
  if (kind === 'text') return { type: 'text', text: joined(title, context, data) }
  if (kind === 'content') {
    const isText = typeof inside === 'string' || list(inside).every((one) => readHeld(one).type === 'text')
    return isText ? { type: 'text', text: joined(title, context, contentText(inside)) } : readOpaque(type, block)
  }
  return readFile({
    mediaType: typeof media_type === 'string' ? media_type : type === 'image' ? 'image/*' : undefined,
    data: data ?? url ?? source,
    name: typeof title === 'string' ? title : undefined,
  })
}

const joined = (...texts: readonly unknown[]): string => texts.map(text).filter(Boolean).join('\n')

/** Stands for a text that is part of another one now: the API wants no empty one. */
const elsewhere = '…'

/** What stays of a search result or a text document when the text of its result becomes another: its place and its names, by which it is cited. */
function restOf(block: unknown): Fields | undefined {
  const { type, source } = fields(block)
  if (type === 'search_result') return { ...fields(block), content: [{ type: 'text', text: elsewhere }] }
  const field = { text: 'data', content: 'content' }[text(fields(source)['type'])]
  if (type !== 'document' || field === undefined || readHeld(block).type !== 'text') return undefined
  return { ...fields(block), source: { ...fields(source), [field]: elsewhere } }
}

/** A block of a result. What stays of it in any case is counted apart. */
function readInResult(block: unknown): readonly Held[] {
  const [held, rest] = [readHeld(block), restOf(block)]
  if (rest === undefined) return [held]
  const stays = readOpaque(text(rest['type']), rest)
  return text(block) === text(rest) ? [stays] : [held, stays]
}

export const resultEdits: BlockEdits = { read: readHeld, make: (said) => ({ type: 'text', text: said }), rest: restOf }
