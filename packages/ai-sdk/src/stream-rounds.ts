import { causeOf, createOpener, type Opened, streamOf } from './first-content.ts'
import { finished, type Intercepting, isCall } from './generate-rounds.ts'
import type { ProviderModel, Streamed, StreamPart } from './provider-call.ts'
import { isOurs, type Turn } from './recall-turn.ts'
import { createCollector, markedInStream, withoutItem } from './reply-parts.ts'
import { sumUsage } from './usage-sum.ts'

/** Rounds one after another in one stream: only look-ups and the finish of their rounds are withheld. */
export async function stream(turn: Turn, model: ProviderModel, { intercepts, noted }: Intercepting): Promise<Streamed> {
  const opener = createOpener()
  const send = (): Promise<Opened> => turn.send((request) => opener.open(() => model.doStream(request)))
  const first = await send().catch(opener.orAsItCame)
  let current = first
  let cancelled: { readonly reason: unknown } | undefined
  async function* parts(): AsyncGenerator<StreamPart> {
    let usage: unknown
    for (let round = 0; ; round++) {
      const collector = createCollector()
      const filter = createFilter(intercepts)
      let finish: StreamPart | undefined
      for (let part = await current.next(); part !== undefined; part = await current.next()) {
        collector.add(part)
        if (part.type === 'finish') finish = part
        else if (round === 0 || part.type !== 'stream-start') for (const shown of filter.take(part)) yield markedInStream(shown, round)
      }
      for (const shown of filter.rest()) yield markedInStream(shown, round)
      if (finish === undefined) return
      if (!intercepts) noted(collector.parts, turn)
      usage = round === 0 ? finish.usage : sumUsage(usage, finish.usage)
      if ((await turn.settle(collector.parts, finish)) === 'return') {
        yield { ...finish, usage, ...finished(finish, { round, emptied: filter.emptied() }) }
        return
      }
      try {
        current = await send()
        if (cancelled !== undefined) return await current.cancel(cancelled.reason)
      } catch (error) {
        yield { type: 'error', error: causeOf(error) }
        yield { ...finish, usage, finishReason: typeof finish.finishReason === 'string' ? 'error' : { unified: 'error', raw: undefined } }
        return
      }
    }
  }
  const cancel = (reason: unknown): Promise<void> => {
    cancelled = { reason }
    return current.cancel(reason)
  }
  return { ...first.result, stream: streamOf(parts(), cancel) }
}

/** Parts that say nothing of what a model does next. */
const silent = new Set(['ping', 'raw', 'response-metadata'])

/** Takes look-ups out of one round. The end of a thought or a text waits for what comes next: where that is a look-up it is stored without its provider's item. */
function createFilter(intercepts: boolean) {
  const withheld = new Set<string | undefined>()
  let held: StreamPart | undefined
  let calls = 0
  const released = (): readonly StreamPart[] => {
    const parts = held === undefined ? [] : [held]
    held = undefined
    return parts
  }
  return {
    take(part: StreamPart): readonly StreamPart[] {
      if (!intercepts || silent.has(part.type)) return [part]
      if (isOurs(part) || (part.type === 'tool-input-start' && isOurs({ ...part, type: 'tool-call' }))) {
        withheld.add(part.toolCallId ?? part.id)
        return released().map(withoutItem)
      }
      if (part.type.startsWith('tool-input-') && withheld.has(part.id)) return []
      const before = released()
      if (isCall(part)) calls++
      if (part.type !== 'reasoning-end' && part.type !== 'text-end') return [...before, part]
      held = part
      return before
    },
    rest: released,
    /** Look-ups were all that was called. */
    emptied: () => withheld.size > 0 && calls === 0,
  }
}
