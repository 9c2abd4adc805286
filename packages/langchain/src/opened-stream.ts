import type { BaseMessage } from '@langchain/core/messages'

/** Opens the stream of one request; `withTool`: our tool stands in its list. */
export type Open<T> = (messages: BaseMessage[], withTool: boolean) => AsyncGenerator<T>

/** A stream whose first content has arrived: a refusal would have come by then. */
export interface Opened<T> {
  readonly first: readonly T[]
  readonly rest: AsyncGenerator<T>
}

export async function opened<T>(stream: AsyncGenerator<T>, saysSomething: (one: T) => boolean): Promise<Opened<T>> {
  const first: T[] = []
  for (let step = await stream.next(); step.done !== true; step = await stream.next()) {
    first.push(step.value)
    if (saysSomething(step.value)) break
  }
  return { first, rest: stream }
}
