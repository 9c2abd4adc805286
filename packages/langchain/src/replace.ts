import { type BaseMessage, RemoveMessage } from '@langchain/core/messages'

/** LangGraph's sentinel: everything before it goes. */
const removeAll = '__remove_all__'

/**
 * A state update after which the state holds just these messages. New ones take over the ids of messages that leave: a message with an id that LangGraph has not
 * seen would be streamed to the user as if the model had said it.
 */
export function replacingAll(before: readonly BaseMessage[], after: readonly BaseMessage[]): BaseMessage[] {
  const kept = new Set(after.map((message) => message.id))
  const own = new Set(before)
  const free = before.flatMap(({ id }) => (id === undefined || kept.has(id) ? [] : [id]))
  for (const message of after) {
    const id = message.id === undefined && !own.has(message) ? free.shift() : undefined
    if (id !== undefined) message.id = id
  }
  return [new RemoveMessage({ id: removeAll }), ...after]
}

/**
 * The same beside a reply: what leaves is taken out by its id, so that whatever others write in the same step stays. A message with the id of one that leaves stands
 * in its place; where that would be another than the message's own, the state is written anew, with the reply at its end. What a request alone was given (by other
 * middleware) is no part of either.
 */
export function replacing(state: readonly BaseMessage[], before: readonly BaseMessage[], after: readonly BaseMessage[], reply: BaseMessage): BaseMessage[] {
  const places = new Map(state.map(({ id }, at) => [id, at] as const))
  const [own, ofState] = [new Set(before), new Set(state)]
  const isOfState = (message: BaseMessage): boolean => ofState.has(message) || (message.id !== undefined && places.has(message.id))
  const held = before.filter(isOfState)
  const shown = after.filter((message) => !own.has(message) || isOfState(message))
  const ids = idsFor(held, shown, places)
  if (ids === undefined || state.some(({ id }) => id === undefined)) return [...replacingAll(held, shown), reply]
  for (const [message, id] of ids) message.id = id
  const kept = new Set(shown.map(({ id }) => id))
  const gone = held.flatMap(({ id }) => (id === undefined || kept.has(id) ? [] : [new RemoveMessage({ id })]))
  return [...shown.filter((message) => !own.has(message)), ...gone]
}

/** For each new message the id of one that leaves between its neighbors; undefined where there is none, or where messages have changed places. */
function idsFor(
  before: readonly BaseMessage[],
  after: readonly BaseMessage[],
  places: ReadonlyMap<string | undefined, number>,
): ReadonlyMap<BaseMessage, string> | undefined {
  const placeOf = ({ id }: BaseMessage): number | undefined => (id === undefined ? undefined : places.get(id))
  const kept = new Set(after.map(({ id }) => id))
  const free = before.flatMap((message) => (kept.has(message.id) ? [] : (placeOf(message) ?? []))).sort((a, b) => a - b)
  const idAt = new Map([...places].map(([id, at]) => [at, id] as const))
  const ids = new Map<BaseMessage, string>()
  let last = -1
  for (const [at, message] of after.entries()) {
    let place = placeOf(message)
    if (place === undefined) {
      const next = after.slice(at + 1).find((one) => placeOf(one) !== undefined)
      const until = next === undefined ? Infinity : (placeOf(next) as number)
      place = free.find((one) => one > last && one < until)
      if (place === undefined) return undefined
      ids.set(message, idAt.get(place) as string)
    }
    if (place <= last) return undefined
    last = place
  }
  return ids
}
