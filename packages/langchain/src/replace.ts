import { type BaseMessage, RemoveMessage } from '@langchain/core/messages'

/** LangGraph's sentinel: everything before it goes. */
const removeAll = '__remove_all__'

/**
 * New messages take over the ids of those that leave, and so their places: a message with an id that LangGraph has not seen would be streamed to the user as if the
 * model had said it.
 * @returns Ids of what leaves, and of which none has taken over.
 */
function handOver(before: readonly BaseMessage[], after: readonly BaseMessage[], known: ReadonlySet<string | undefined>): readonly string[] {
  const kept = new Set(after.map((message) => message.id))
  const own = new Set(before)
  const free = before.flatMap(({ id }) => (id === undefined || kept.has(id) || !known.has(id) ? [] : [id]))
  for (const message of after) {
    const id = message.id === undefined && !own.has(message) ? free.shift() : undefined
    if (id !== undefined) message.id = id
  }
  return free
}

const idsOf = (messages: readonly BaseMessage[]): ReadonlySet<string | undefined> => new Set(messages.map(({ id }) => id))

/** A state update after which the state holds just these messages. */
export function replacingAll(before: readonly BaseMessage[], after: readonly BaseMessage[]): BaseMessage[] {
  handOver(before, after, idsOf(before))
  return [new RemoveMessage({ id: removeAll }), ...after]
}

/**
 * The same beside a reply: what leaves is taken out by its id, so that whatever others write in the same step stays. Where ids are missing the state is written anew,
 * with the reply at its end.
 */
export function replacing(state: readonly BaseMessage[], before: readonly BaseMessage[], after: readonly BaseMessage[], reply: BaseMessage): BaseMessage[] {
  const known = idsOf(state)
  const free = handOver(before, after, known)
  if (![...before, ...after].every(({ id }) => id !== undefined && known.has(id))) return [...replacingAll(before, after), reply]
  const own = new Set(before)
  return [...after.filter((message) => !own.has(message)), ...free.map((id) => new RemoveMessage({ id }))]
}
