import { createTelling, RefusedInStream } from '@precis/core/adapters'
import type { Sent, Streamed, StreamPart } from './provider-call.ts'

/** A stream that was read up to its first content. */
export interface Opened extends Sent {
  readonly result: Streamed
  cancel(reason?: unknown): Promise<void>
  /** The next part, from the first on that was not told before; undefined at the end. */
  next(): Promise<StreamPart | undefined>
}

/** Parts with which a model says, thinks or calls something. All others (announcements, keep-alives, what later versions add) may come before a refusal. */
const content = new Set([
  'text-delta',
  'reasoning-start',
  'reasoning-delta',
  'tool-input-start',
  'tool-input-delta',
  'tool-call',
  'tool-result',
  'file',
  'reasoning-file',
  'source',
  'custom',
  'finish',
])

/** An empty piece is none, nor is what Anthropic's client tells of a message that begins. */
const isContent = ({ type, delta, kind }: StreamPart): boolean => content.has(type) && delta !== '' && kind !== 'anthropic.message_start'

/** Of these, what is told as it comes: another stream may go on behind it. */
const early = new Set(['stream-start', 'response-metadata', 'ping'])

/** Opens streams one after another: the one that was refused is given up for the next. */
export function createOpener() {
  let refused: Opened | undefined
  let newest: Opened | undefined
  let started = false
  const { tell, during } = createTelling<StreamPart>()
  let begin = (_: Streamed): void => {}
  const begun = new Promise<Streamed>((resolve) => {
    begin = resolve
  })

  return {
    /** Reads a stream up to its first content: until then a refusal can still be answered with another request. @throws RefusedInStream for an error before it. */
    async open(start: () => PromiseLike<Streamed>): Promise<Opened> {
      await refused?.cancel()
      const result = await start()
      const reader = result.stream.getReader()
      const first: StreamPart[] = []
      const opened: Opened = {
        request: result.request,
        result,
        cancel: (reason) => reader.cancel(reason),
        next: async () => first.shift() ?? (await reader.read()).value,
      }
      newest = opened
      begin(result)
      for (;;) {
        const { done, value } = await reader.read()
        if (done) return opened
        if (early.has(value.type)) {
          if (value.type !== 'stream-start' || !started) tell(value)
          started ||= value.type === 'stream-start'
          continue
        }
        first.push(value)
        if (value.type === 'error') {
          refused = opened
          throw new RefusedInStream('refused in the stream', { cause: value.error })
        }
        if (isContent(value)) return opened
      }
    },
    /** Where nothing helped: the stream as it came, with its error in it. @throws the error when that is no stream's. */
    orAsItCame(error: unknown): Opened {
      if (RefusedInStream.is(error) && refused !== undefined) return refused
      throw error
    },
    /** The first stream that a provider began. @throws what `opening` throws before that. */
    async begun(opening: Promise<Opened>): Promise<Streamed> {
      opening.catch(() => {})
      return Promise.race([begun, opening.then(({ result }) => result)])
    },
    /** What is told while a stream is opened, as it comes. */
    told: (opening: Promise<Opened>): AsyncGenerator<StreamPart> => during(opening),
    /** Gives up the newest stream. */
    cancel: async (reason: unknown): Promise<void> => newest?.cancel(reason),
  }
}

/** The parts of one or more opened streams as the SDK reads them: none is read before it is asked for. */
export function streamOf(parts: AsyncGenerator<StreamPart>, cancel: (reason: unknown) => Promise<void>): ReadableStream<StreamPart> {
  return new ReadableStream<StreamPart>(
    {
      async pull(controller) {
        const { done, value } = await parts.next()
        if (done === true) controller.close()
        else controller.enqueue(value)
      },
      cancel,
    },
    { highWaterMark: 0 },
  )
}
