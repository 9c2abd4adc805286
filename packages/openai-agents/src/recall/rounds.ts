import { createParagraphs, createTelling } from '@precis/core/adapters'
import { type Opened, open, ownError, withReason } from '../first-content.ts'
import type { Model, Reply, Request, StreamEvent } from '../model-call.ts'
import { createRawFilters } from './raw-events.ts'
import { isCall } from './reply-items.ts'
import { tryAgain } from './try-again.ts'
import type { Turn } from './turn.ts'

export interface Intercepting {
  /** A reply as the SDK can read it. */
  readonly readable: <R extends Reply | undefined>(reply: R) => R
  /** What is done with calls of our tool that are not answered here. */
  readonly noted: (reply: Reply, turn: Turn) => void
}

/** All rounds of a call as one reply. */
export async function respond(turn: Turn, model: Model, { noted, readable }: Intercepting): Promise<Reply | undefined> {
  try {
    for (let round = 0; ; round++) {
      const reply = readable(await turn.send((request) => sendWhole(model, request, round)))
      if (reply === undefined) return undefined
      noted(reply, turn)
      const settled = await turn.settle(reply)
      if (settled !== undefined) return settled
    }
  } catch (error) {
    throw ownError(error)
  } finally {
    turn.end()
  }
}

function sendWhole(model: Model, request: Request, round: number): Promise<Reply | undefined> {
  const send = async (): Promise<Reply | undefined> => {
    try {
      return await model.getResponse(request)
    } catch (error) {
      throw request.signal?.aborted === true ? error : await withReason(error, () => model.getStreamedResponse(request))
    }
  }
  return round === 0 ? send() : tryAgain(send, request.signal, false)
}

/** Rounds one after another in one stream: only look-ups and the end of their rounds are withheld. */
export async function* respondInStream(turn: Turn, model: Model, intercepting: Intercepting): AsyncGenerator<StreamEvent> {
  try {
    yield* roundsInStream(turn, model, intercepting)
  } finally {
    turn.end()
  }
}

async function* roundsInStream(turn: Turn, model: Model, { noted, readable }: Intercepting): AsyncGenerator<StreamEvent> {
  const filterOf = createRawFilters()
  const inParagraphs = createParagraphs()
  const apart = (event: StreamEvent, round: number): StreamEvent =>
    event.type === 'output_text_delta' && typeof event.delta === 'string' ? { ...event, delta: inParagraphs(event.delta, round) } : event
  const { tell, during } = createTelling<StreamEvent>()
  /** A reply is begun once, whatever was refused before it. */
  const told = new Set<string | undefined>()
  const tellOnce = (event: StreamEvent): void => {
    if (event.type === 'response_started') turn.learnName(event)
    const kind = event.event?.type ?? event.type
    if (!told.has(kind)) tell(event)
    told.add(kind)
  }
  for (let round = 0; ; round++) {
    const filter = filterOf(round)
    const shown = (event: StreamEvent): readonly StreamEvent[] => (turn.intercepts ? filter.take(event) : [event]).map((one) => apart(one, round))
    const opening = turn.send((request) => {
      const send = (): Promise<Opened> => open(model.getStreamedResponse(request), tellOnce)
      return round === 0 ? send() : tryAgain(send, request.signal, true)
    })
    let opened: Opened | undefined
    let again = false
    try {
      for await (const event of during(opening)) yield* shown(event)
      opened = await opening
      for (let event = await opened.next(); event !== undefined; event = await opened.next()) {
        if (event.type === 'response_done' && event.response !== undefined) {
          const replied = readable(event.response)
          noted(replied, turn)
          const response = await turn.settle(replied)
          again = response === undefined
          if (response === undefined) continue
          const emptied = (response.output ?? []).length < (replied.output ?? []).length && response.output?.some(isCall) !== true
          yield* filter.rest(emptied)
          yield response === event.response ? event : { ...event, response }
        } else if (!again) yield* shown(event)
      }
      if (!again) yield* filter.rest(false)
    } catch (error) {
      throw ownError(error)
    } finally {
      // Who reads no further does not wait for the first content.
      if (opened === undefined) opening.then((one) => one.close()).catch(() => {})
      else await opened.close()
    }
    if (!again) return
  }
}
