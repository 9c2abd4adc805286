import { AIMessageChunk, type BaseMessage } from '@langchain/core/messages'
import { ChatGenerationChunk } from '@langchain/core/outputs'
import { createParagraphs } from '@precis/core/adapters'
import { type Open, opened } from '../opened-stream.ts'
import type { Block } from '../read-media.ts'
import { isCallBlock, slot } from '../read-message.ts'
import { readUsage } from '../usage.ts'
import { apart, fieldsWithoutOurs, isOurs } from './reply.ts'
import type { Turn } from './turn.ts'

function saysSomething({ text, message }: ChatGenerationChunk): boolean {
  const calls = AIMessageChunk.isInstance(message) ? (message.tool_call_chunks ?? []) : []
  return text !== '' || calls.length > 0 || (typeof message.content === 'string' ? message.content !== '' : message.content.length > 0)
}

/** Rounds one after another in one stream: only look-ups and the finish of their rounds are withheld. `isObject`: all of a round that looks up. */
export async function* stream(
  turn: Turn,
  messages: readonly BaseMessage[],
  open: Open<ChatGenerationChunk>,
  isObject: boolean,
): AsyncGenerator<ChatGenerationChunk> {
  const shown = createMerge()
  for (let round = 0; ; round++) {
    const { first, rest } = await turn.send(messages, (request, withTool) => opened(open(request, withTool), saysSomething))
    const filter = createFilter(turn.intercepts, isObject && turn.offered)
    let whole: ChatGenerationChunk | undefined
    const take = function* (chunk: ChatGenerationChunk): Generator<ChatGenerationChunk> {
      whole = whole === undefined ? chunk : whole.concat(chunk)
      for (const one of filter.take(chunk)) yield shown.take(one, round)
    }
    for (const chunk of first) yield* take(chunk)
    for await (const chunk of rest) yield* take(chunk)
    const reply = whole?.message
    if (!AIMessageChunk.isInstance(reply)) {
      for (const one of filter.finish(false)) yield shown.take(one, round)
      return
    }
    const again = (await turn.settle(reply as never)) === 'again'
    for (const one of filter.finish(again)) yield shown.take(one, round)
    if (again) continue
    if (round > 0) yield shown.mark(round, readUsage(reply))
    return
  }
}

type Fields = Record<string, unknown>

/** A chunk with other fields. */
function changed(chunk: ChatGenerationChunk, patch: Fields, info: Fields | undefined = chunk.generationInfo): ChatGenerationChunk {
  const message = chunk.message as AIMessageChunk
  const { content, tool_call_chunks, additional_kwargs, response_metadata, usage_metadata, id, name } = message
  const next = new AIMessageChunk({ content, tool_call_chunks, additional_kwargs, response_metadata, usage_metadata, id, name, ...patch } as never)
  return new ChatGenerationChunk({ text: next.text, message: next, ...(info !== undefined && { generationInfo: info }) })
}

const finishes = ['finish_reason', 'stop_reason', 'stop_sequence', 'status', 'incomplete_details', 'output']

/** Takes look-ups out of one round, and keeps its finish back until it is known whether another follows. */
function createFilter(intercepts: boolean, holds: boolean) {
  const places = new Set<unknown>()
  const ids = new Set<unknown>()
  const held: ChatGenerationChunk[] = []
  let theirs = false
  /** A call without a name goes on with the one that began at its place. */
  const withheld = ({ name, index }: { readonly name?: unknown; readonly index?: unknown }): boolean => {
    if (typeof name === 'string' && name !== '') {
      if (isOurs({ name })) places.add(index)
      else {
        places.delete(index)
        theirs = true
      }
    }
    return places.has(index)
  }
  const isFinish = ({ generationInfo, message }: ChatGenerationChunk): boolean =>
    finishes.some((name) => generationInfo?.[name] != null || message.response_metadata?.[name] != null || message.additional_kwargs?.[name] != null)
  const stripped = (chunk: ChatGenerationChunk): ChatGenerationChunk => {
    const message = chunk.message as AIMessageChunk
    const calls = message.tool_call_chunks ?? []
    for (const call of calls) if (isOurs(call) && call.id !== undefined) ids.add(call.id)
    const left = calls.filter((call) => !withheld(call))
    const blocks = Array.isArray(message.content) ? (message.content as unknown as readonly Block[]) : undefined
    const atPlace = ({ index }: Block): boolean => index !== undefined && places.has(index)
    const shown = blocks?.filter((block) => !((isCallBlock(block) || block.type === 'input_json_delta') && (isOurs(block) || atPlace(block))))
    if (left.length === calls.length && (shown?.length ?? 0) === (blocks?.length ?? 0) && ids.size === 0) return chunk
    const kwargs = fieldsWithoutOurs(withoutRaw(message.additional_kwargs, places), ids)
    return changed(chunk, {
      tool_call_chunks: left,
      ...(shown !== undefined && { content: shown }),
      additional_kwargs: kwargs,
      response_metadata: fieldsWithoutOurs(message.response_metadata, ids),
    })
  }
  return {
    take(chunk: ChatGenerationChunk): readonly ChatGenerationChunk[] {
      if (!intercepts || !AIMessageChunk.isInstance(chunk.message)) return [chunk]
      const shown = stripped(chunk)
      if (!holds && held.length === 0 && !isFinish(shown)) return [shown]
      held.push(shown)
      return []
    },
    /** `again`: of the finish only its bill is shown. */
    finish(again: boolean): readonly ChatGenerationChunk[] {
      if (!again) return held.map((chunk) => (ids.size > 0 && !theirs ? finishedPlainly(chunk) : chunk))
      return held.map((chunk) => changed(chunk, { ...(holds && { content: '' }), tool_call_chunks: [], additional_kwargs: {}, response_metadata: {} }, {}))
    },
  }
}

/** Calls that a provider's own form repeats beside. */
function withoutRaw(kwargs: Fields, places: ReadonlySet<unknown>): Fields {
  const { tool_calls: raw } = kwargs
  return Array.isArray(raw) ? { ...kwargs, tool_calls: raw.filter((one: { readonly index?: unknown }) => !places.has(one?.index)) } : kwargs
}

/** Look-ups were all that was called, and no other round follows: there is no call left to answer. */
function finishedPlainly(chunk: ChatGenerationChunk): ChatGenerationChunk {
  const plain = (fields: Fields | undefined): Fields => ({
    ...fields,
    ...(fields?.['finish_reason'] != null && { finish_reason: 'stop' }),
    ...(fields?.['stop_reason'] != null && { stop_reason: 'end_turn' }),
  })
  const { additional_kwargs, response_metadata } = chunk.message
  return changed(chunk, { additional_kwargs: plain(additional_kwargs), response_metadata: plain(response_metadata) }, plain(chunk.generationInfo))
}

/** Places of blocks of a later round begin behind those of the rounds before. */
const placesOfRound = 1_000

/**
 * Fields that are taken from the newer of two when chunks are joined, and the list of what a provider ran; all others are appended, so a later round leaves them out.
 */
const passing = ['id', 'type', 'name', 'output_version', 'model_provider', 'tool_outputs']

/** Chunks of several messages that add up to one: whoever joins them sums counts, appends texts, and joins blocks by their place. */
function createMerge() {
  let id: string | undefined
  let newest = 0
  let characters = 0
  let said = 0
  const blocks = new Set<unknown>()
  const inParagraphs = createParagraphs()
  const [seen, before] = [new Set<string>(), new Set<string>()]
  const fresh = (of: string, fields: Fields | undefined): Fields =>
    Object.fromEntries(
      Object.entries(fields ?? {}).filter(([name]) => {
        seen.add(`${of} ${name}`)
        return passing.includes(name) || !before.has(`${of} ${name}`)
      }),
    )
  const moved = (one: Fields, round: number): Fields => (typeof one['index'] === 'number' ? { ...one, index: one['index'] + round * placesOfRound } : one)
  return {
    take(chunk: ChatGenerationChunk, round: number): ChatGenerationChunk {
      const message = chunk.message as AIMessageChunk
      if (round > newest) {
        newest = round
        said = blocks.size > 0 ? blocks.size : characters
        for (const one of seen) before.add(one)
      }
      id ??= message.id
      const additional_kwargs = fresh('kwargs', message.additional_kwargs)
      const response_metadata = fresh('metadata', message.response_metadata)
      const info = fresh('info', chunk.generationInfo)
      const shownAs = (text: string): string => inParagraphs(text, round)
      const content = Array.isArray(message.content)
        ? (message.content as unknown as readonly Fields[]).map((one) => apart(moved(one, round), shownAs))
        : shownAs(message.content as string)
      if (typeof content === 'string') {
        characters += content.length
        // A paragraph by us is no word of the round that it begins.
        said += content.length - (message.content as string).length
      } else for (const one of content) blocks.add(one['index'] ?? one)
      if (round === 0) return chunk
      const calls = (message.tool_call_chunks ?? []).map((one) => moved(one as unknown as Fields, round))
      return changed(chunk, { id, content, tool_call_chunks: calls, additional_kwargs, response_metadata }, info)
    },
    /** The last chunk of several rounds: how much was said before the last, and the newest prompt. */
    mark(lookUps: number, prompt: object | undefined): ChatGenerationChunk {
      const message = new AIMessageChunk({
        content: '',
        ...(id !== undefined && { id }),
        response_metadata: { [slot]: { lookUps, said, ...(prompt !== undefined && { prompt }) } },
      })
      return new ChatGenerationChunk({ text: '', message })
    },
  }
}
