import { type BaseMessage, RemoveMessage } from '@langchain/core/messages'

/** LangGraph's sentinel: everything before it goes. */
const removeAll = '__remove_all__'

/**
 * A state update after which the state holds just these messages. New ones take over the ids of messages that leave: a message with an id that LangGraph has
 * not seen would be streamed to the user as if the model had said it.
 */
export function replacing(before: readonly BaseMessage[], after: readonly BaseMessage[]): BaseMessage[] {
  const kept = new Set(after.map((message) => message.id))
  const own = new Set(before)
  const free = before.flatMap((message) => (message.id === undefined || kept.has(message.id) ? [] : [message.id]))
  for (const message of after) {
    const id = message.id === undefined && !own.has(message) ? free.shift() : undefined
    if (id !== undefined) message.id = id
  }
  return [new RemoveMessage({ id: removeAll }), ...after]
}
