import { createParagraphs } from '@precis/core/adapters'
import { type Opened, open, ownError } from './first-content.ts'
import type { Model, Reply, StreamEvent } from './model-call.ts'
import { createRawFilters } from './raw-events.ts'
import type { Turn } from './recall-turn.ts'
import { isCall } from './reply-items.ts'

export interface Intercepting {
  /** Calls of our tool are answered here. */
  readonly intercepts: boolean
  /** What is done with those that are not. */
  readonly noted: (reply: Reply, turn: Turn) => void
}

/** All rounds of a call as one reply. */
export async function respond(turn: Turn, model: Model, { noted }: Intercepting): Promise<Reply | undefined> {
  for (;;) {
    const reply = await turn.send((request) => model.getResponse(request))
    if (reply === undefined) return undefined
    noted(reply, turn)
    const settled = await turn.settle(reply)
    if (settled !== undefined) return settled
  }
}

/** Rounds one after another in one stream: only look-ups and the end of their rounds are withheld. */
export async function* respondInStream(turn: Turn, model: Model, { intercepts, noted }: Intercepting): AsyncGenerator<StreamEvent> {
  const filterOf = createRawFilters()
  const inParagraphs = createParagraphs()
  const apart = (event: StreamEvent, round: number): StreamEvent =>
    event.type === 'output_text_delta' && typeof event.delta === 'string' ? { ...event, delta: inParagraphs(event.delta, round) } : event
  for (let round = 0; ; round++) {
    const opened = await turn
      .send((request) => open(model.getStreamedResponse(request)))
      .catch((error: unknown): Opened => {
        throw ownError(error)
      })
    const filter = filterOf(round)
    let again = false
    try {
      for (let event = await opened.next(); event !== undefined; event = await opened.next()) {
        if (event.type === 'response_started') turn.learnName(event)
        if (event.type === 'response_done' && event.response !== undefined) {
          noted(event.response, turn)
          const response = await turn.settle(event.response)
          again = response === undefined
          if (response === undefined) continue
          const emptied = (response.output ?? []).length < (event.response.output ?? []).length && response.output?.some(isCall) !== true
          yield* filter.rest(emptied)
          yield response === event.response ? event : { ...event, response }
        } else if (!again) yield* (intercepts ? filter.take(event) : [event]).map((one) => apart(one, round))
      }
      if (!again) yield* filter.rest(false)
    } finally {
      await opened.close()
    }
    if (!again) return
  }
}
