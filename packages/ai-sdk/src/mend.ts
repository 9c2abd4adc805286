import { applyPlan, type Message, project, repairHistory } from '@precis/core'
import { createCodec } from '@precis/wire/ai-sdk'

/** Repairs what the SDK or a provider would refuse in a history, such as calls without an answer, and leaves all else as it is. Returns the array itself where nothing is broken. */
export function createMender<M extends object>(): (history: readonly M[]) => readonly M[] {
  const codec = createCodec<M>()
  const known = new WeakMap<M, Message>()
  const read = (message: M): Message => {
    const neutral = known.get(message) ?? codec.read(message)
    known.set(message, neutral)
    return neutral
  }
  return (history) => applyPlan(history, { shown: project(history.length, undefined), edits: [], repairs: repairHistory(history.map(read)) }, codec, undefined)
}
