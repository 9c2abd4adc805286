import { ChatModelStream } from '@langchain/core/language_models/stream'
import type { AIMessage, BaseMessage } from '@langchain/core/messages'
import { createParagraphs, sumCounts } from '@precis/core/adapters'
import { cloned } from '../codec.ts'
import type { StreamEvent } from '../derived-model.ts'
import { type Open, opened } from '../opened-stream.ts'
import { blocksOf, isCallBlock, slot } from '../read-message.ts'
import { readUsage } from '../usage.ts'
import { apart, isOurs } from './reply.ts'
import type { Turn } from './turn.ts'

/** Rounds one after another as one message of the event protocol: only look-ups and the finish of their rounds are withheld. `isObject`: all of a round that looks up. */
export async function* streamEvents(turn: Turn, messages: readonly BaseMessage[], open: Open<StreamEvent>, isObject: boolean): AsyncGenerator<StreamEvent> {
  const merge = createMerge()
  for (let round = 0; ; round++) {
    const { first, rest } = await turn.send(messages, (request, withTool) => opened(open(request, withTool), saysSomething))
    const filter = createFilter(turn.intercepts)
    const holds = turn.intercepts && isObject && turn.offered
    const held: StreamEvent[] = []
    const take = function* (event: StreamEvent): Generator<StreamEvent> {
      const shown = filter.take(event)
      if (shown === undefined) return
      if (holds && shown.event !== 'message-start') held.push(shown)
      else yield* merge.take(shown, round)
    }
    for (const event of first) yield* take(event)
    for await (const event of rest) yield* take(event)
    const reply = await filter.reply()
    if (reply === undefined) return
    if ((await turn.settle(reply)) === 'again') {
      merge.close(reply)
      continue
    }
    for (const event of held) yield* merge.take(event, round)
    const finish = filter.finish()
    if (finish !== undefined) yield merge.finish(finish, round, reply)
    return
  }
}

const saysSomething = ({ event }: StreamEvent): boolean => event.startsWith('content-block') || event === 'message-finish'

const isCall = ({ type }: { readonly type?: string }): boolean => type === 'tool_call_chunk' || isCallBlock({ type: type ?? '' })

/** Takes look-ups out of one round, and keeps its finish back until it is known whether another follows. */
function createFilter(intercepts: boolean) {
  /** Places of look-ups among the blocks of the round, and among the provider's own items. */
  const [ours, items] = [new Set<number>(), new Set<unknown>()]
  const whole: StreamEvent[] = []
  let last: StreamEvent | undefined
  let theirs = false
  const place = (index: number): number => index - [...ours].filter((one) => one < index).length
  /** A block in the place it has without look-ups; undefined for one of these. */
  const block = (event: StreamEvent, index: number): StreamEvent | undefined => {
    const { content } = event
    if (intercepts && event.event === 'content-block-start' && content !== undefined && isCall(content)) {
      if (isOurs(content)) {
        ours.add(index)
        items.add(content['index'])
      } else theirs = true
    }
    return ours.has(index) ? undefined : movedTo(event, place(index))
  }
  return {
    take(event: StreamEvent): StreamEvent | undefined {
      const { index, payload } = event
      const shown = typeof index === 'number' ? block(event, index) : event
      if (event.event === 'provider')
        return items.size > 0 && items.has((Object(payload) as { readonly output_index?: unknown }).output_index) ? undefined : event
      if (event.event !== 'content-block-delta') whole.push(shown === undefined ? readable(event) : event)
      if (event.event !== 'message-finish') return shown
      last = event
      return undefined
    },
    /** What the round said, with its look-ups; undefined where nothing came. */
    async reply(): Promise<AIMessage | undefined> {
      return whole.length === 0 ? undefined : withoutLostThoughts(await new ChatModelStream(oneByOne(whole) as never))
    },
    /** Look-ups were all that was called, and no other round follows: there is no call left to answer. */
    finish: (): StreamEvent | undefined => (last !== undefined && ours.size > 0 && !theirs ? finishedPlainly(last) : last),
  }
}

/** A look-up whose arguments are no JSON is answered in words, so it has to be a call that can be sent. */
function readable(event: StreamEvent): StreamEvent {
  return event.content?.type === 'invalid_tool_call' ? { ...event, content: { ...event.content, type: 'tool_call', args: {} } } : event
}

/** Its stream of events has no ids of OpenAI's reasoning items, and an item without one is refused. */
function withoutLostThoughts(message: AIMessage): AIMessage {
  if (message.response_metadata['model_provider'] !== 'openai') return message
  const kept = blocksOf(message).filter((block) => block.type !== 'reasoning' || typeof block['id'] === 'string')
  return kept.length === blocksOf(message).length ? message : (cloned(message, { content: kept }) as AIMessage)
}

async function* oneByOne(events: readonly StreamEvent[]): AsyncGenerator<StreamEvent> {
  yield* events
}

function movedTo(event: StreamEvent, index: number): StreamEvent {
  if (index === event.index) return event
  const { content } = event
  return { ...event, index, ...(content !== undefined && content['index'] === event.index && { content: { ...content, index } }) }
}

function finishedPlainly(event: StreamEvent): StreamEvent {
  const { reason, responseMetadata } = event
  return {
    ...event,
    ...(reason === 'tool_use' && { reason: 'stop' }),
    ...(responseMetadata?.['finish_reason'] != null && { responseMetadata: { ...responseMetadata, finish_reason: 'stop' } }),
  }
}

/** Events of several messages that add up to one. */
function createMerge() {
  const inParagraphs = createParagraphs()
  const [named, before] = [new Set<unknown>(), new Set<unknown>()]
  /** What was put before the text of a block, by its place. */
  const leads = new Map<number, string>()
  let [started, begin, next, blocks, said] = [false, 0, 0, 0, 0]
  let bill: unknown
  const worded = (event: StreamEvent, index: number, round: number): StreamEvent => {
    const shownAs = (text: string): string => {
      const shown = inParagraphs(text, round)
      if (shown !== text) leads.set(index, shown.slice(0, shown.length - text.length))
      return shown
    }
    const { content, delta } = event
    if (event.event === 'content-block-start' && content !== undefined) return changed(event, 'content', apart(content, shownAs))
    if (event.event === 'content-block-finish' && content !== undefined)
      return changed(
        event,
        'content',
        apart(content, (text) => (leads.get(index) ?? '') + text),
      )
    return delta?.type === 'text-delta' ? changed(event, 'delta', { ...apart({ ...delta, type: 'text' }, shownAs), type: delta.type }) : event
  }
  return {
    *take(event: StreamEvent, round: number): Generator<StreamEvent> {
      if (event.event === 'message-start') {
        if (!started) yield event
        started = true
      } else if (event.event === 'usage') yield bill === undefined ? event : { ...event, usage: sumCounts(bill, event.usage) }
      else if (event.event === 'provider') {
        // What is said of a message as a whole is said once.
        const ofItem = 'output_index' in (Object(event.payload) as object)
        if (ofItem || !before.has(event.name)) yield event
        named.add(event.name)
      } else if (typeof event.index === 'number') {
        const index = begin + event.index
        if (event.event === 'content-block-start') {
          next = Math.max(next, index + 1)
          blocks++
        }
        yield round === 0 ? worded(event, index, round) : worded(movedTo(event, index), index, round)
      } else yield event
    },
    /** A round is over, and another follows. */
    close({ usage_metadata }: AIMessage): void {
      ;[begin, said] = [next, blocks]
      for (const name of named) before.add(name)
      bill = sumCounts(bill, usage_metadata)
    },
    /** Of the last round: how much was said before it, and the newest prompt. */
    finish(event: StreamEvent, round: number, reply: AIMessage): StreamEvent {
      if (round === 0) return event
      const prompt = readUsage(reply)
      const mark = { lookUps: round, said, ...(prompt !== undefined && { prompt }) }
      const usage = sumCounts(bill, event.usage)
      return { ...event, ...(usage !== undefined && { usage }), responseMetadata: { ...event.responseMetadata, [slot]: mark } }
    },
  }
}

/** An event with another part; as it is where that did not change. */
function changed(event: StreamEvent, name: 'content' | 'delta', part: NonNullable<StreamEvent['content']>): StreamEvent {
  return event[name] === part || event[name]?.['text'] === part['text'] ? event : { ...event, [name]: part }
}
