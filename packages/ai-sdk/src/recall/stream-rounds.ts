import { causeOf, createParagraphs } from '@precis/core/adapters'
import { openStream } from '../failed-response.ts'
import { createOpener, type Opened, streamOf } from '../first-content.ts'
import type { Params, ProviderModel, Streamed, StreamPart } from '../provider-call.ts'
import { asOfNow } from './as-of-now.ts'
import { finished, type Intercepting } from './generate-rounds.ts'
import { createCollector, isOurs, markedInStream } from './reply-parts.ts'
import { createRoundFilter } from './round-filter.ts'
import { tryAgain } from './try-again.ts'
import type { Turn } from './turn.ts'
import { sumUsage } from './usage-sum.ts'

/** Rounds one after another in one stream: only look-ups and the finish of their rounds are withheld, and where the reply is to be JSON the words before them. */
export async function stream(turn: Turn, model: ProviderModel, { noted, isObject, retries }: Intercepting): Promise<Streamed> {
  const { intercepts } = turn
  const opener = createOpener()
  const gone = new AbortController()
  const inCall = asOfNow()
  const send = (): Promise<Opened> => turn.send((request) => opener.open(() => openStream(model, request)))
  const sendNext = (): Promise<Opened> =>
    turn.send((given) => {
      const request = withSignal(given, gone.signal)
      return tryAgain(() => opener.open(() => openStream(model, request)), { retries, signal: request.abortSignal })
    })
  const inParagraphs = createParagraphs()
  const shownAs = (part: StreamPart, round: number): StreamPart =>
    markedInStream(part.type === 'text-delta' && typeof part.delta === 'string' ? { ...part, delta: inParagraphs(part.delta, round) } : part, round)
  const first = send().catch(opener.orAsItCame)
  async function* parts(): AsyncGenerator<StreamPart> {
    let usage: unknown
    let [thought, spoke] = [false, false]
    const told = (part: StreamPart, round: number): StreamPart => {
      thought ||= part.type === 'reasoning-start'
      spoke ||= saysSomething(part)
      return shownAs(part, round)
    }
    let opening = first
    let finish: StreamPart | undefined
    for (let round = 0; ; round++) {
      yield* opener.told(opening)
      let current: Opened
      try {
        current = await opening
      } catch (error) {
        if (gone.signal.aborted) return
        yield { type: 'error', error: causeOf(error) }
        if (finish !== undefined)
          yield { ...finish, usage, finishReason: typeof finish.finishReason === 'string' ? 'error' : { unified: 'error', raw: undefined } }
        return
      }
      if (gone.signal.aborted) return await current.cancel(gone.signal.reason)
      const collector = createCollector()
      const filter = createRoundFilter({ intercepts, waits: isObject && turn.offered() })
      finish = undefined
      let broke = false
      for (let part = await current.next(); part !== undefined; part = await current.next()) {
        collector.add(part)
        broke ||= part.type === 'error'
        if (part.type === 'finish') finish = part
        else for (const shown of filter.take(part)) yield told(shown, round)
      }
      if (finish === undefined) {
        for (const shown of filter.rest('return')) yield told(shown, round)
        return
      }
      if (!intercepts) noted(collector.parts, turn)
      usage = round === 0 ? finish.usage : sumUsage(usage, finish.usage)
      // A reply that broke off is no question: it is handed on as it is.
      const said = filter.answered() ? collector.parts.filter((part) => !isOurs(part)) : collector.parts
      const metered = finish
      const next = broke ? 'return' : await inCall(() => turn.settle(said, metered))
      for (const shown of filter.rest(next)) yield told(shown, round)
      if (next === 'return') {
        if (filter.emptied() && thought && !spoke) for (const part of noWords) yield shownAs(part, round)
        yield { ...finish, usage, ...finished(finish, { round, emptied: filter.emptied() }) }
        return
      }
      if (gone.signal.aborted) return
      opening = inCall(sendNext)
    }
  }
  const cancel = (reason: unknown): Promise<void> => {
    gone.abort(reason)
    return opener.cancel(reason)
  }
  return { ...(await opener.begun(first)), stream: streamOf(parts(), cancel) }
}

/** A request of a stream: when nobody reads that any more, it ends too. */
function withSignal(params: Params, signal: AbortSignal): Params {
  return { ...params, abortSignal: params.abortSignal === undefined ? signal : AbortSignal.any([params.abortSignal, signal]) }
}

/** What stands for the answer to look-ups alone, whose thoughts were shown: these cannot be sent back without what they led to, and a message needs something that can. */
const noWords: readonly StreamPart[] = [
  { type: 'text-start', id: 'no-words' },
  { type: 'text-delta', id: 'no-words', delta: '…' },
  { type: 'text-end', id: 'no-words' },
]

/** Of a reply, what is sent back by itself. */
const saysSomething = ({ type, delta }: StreamPart): boolean =>
  (type === 'text-delta' && delta !== '') || ['tool-call', 'file', 'reasoning-file'].includes(type)
