import type { Sent, Streamed, StreamPart } from './provider-call.ts'

/** A stream that was read up to its first content. */
export interface Opened extends Sent {
  readonly result: Streamed
  cancel(reason?: unknown): Promise<void>
  /** The next part, from the first on; undefined at the end. */
  next(): Promise<StreamPart | undefined>
}

/** Some providers accept a request and refuse it in the stream, before any content: the cause is that error. */
class RefusedInStream extends Error {}

/** The provider's own error. */
export function causeOf(error: unknown): unknown {
  return error instanceof RefusedInStream ? error.cause : error
}

/** Parts that say something. All others (announcements, keep-alives, what later versions add) may come before a refusal. */
const content = new Set([
  'text-delta',
  'reasoning-delta',
  'tool-input-delta',
  'tool-call',
  'tool-result',
  'file',
  'reasoning-file',
  'source',
  'custom',
  'finish',
])

/** Opens streams one after another: the one that was refused is given up for the next. */
export function createOpener() {
  let refused: Opened | undefined
  return {
    /** Reads a stream up to its first content: until then a refusal can still be answered with another request. @throws RefusedInStream for an error before it. */
    async open(begin: () => PromiseLike<Streamed>): Promise<Opened> {
      await refused?.cancel()
      const result = await begin()
      const reader = result.stream.getReader()
      const first: StreamPart[] = []
      const opened: Opened = {
        request: result.request,
        result,
        cancel: (reason) => reader.cancel(reason),
        next: async () => first.shift() ?? (await reader.read()).value,
      }
      for (;;) {
        const { done, value } = await reader.read()
        if (done) return opened
        first.push(value)
        if (value.type === 'error') {
          refused = opened
          throw new RefusedInStream('refused in the stream', { cause: value.error })
        }
        if (content.has(value.type) && value.delta !== '') return opened
      }
    },
    /** Where nothing helped: the stream as it came, with its error in it. @throws the error when that is no stream's. */
    orAsItCame(error: unknown): Opened {
      if (error instanceof RefusedInStream && refused !== undefined) return refused
      throw error
    },
  }
}

/** The parts of one or more opened streams as the SDK reads them. */
export function streamOf(parts: AsyncGenerator<StreamPart>, cancel: (reason: unknown) => Promise<void>): ReadableStream<StreamPart> {
  return new ReadableStream<StreamPart>({
    async pull(controller) {
      const { done, value } = await parts.next()
      if (done === true) controller.close()
      else controller.enqueue(value)
    },
    cancel,
  })
}
