import type { MessageCodec } from '../../history/codec.ts'
import type { Message } from '../../history/message.ts'
import type { CompactionSession } from '../session/session-types.ts'

/** A history as its session has read it, one for one; read anew where that has more to it, or cannot. */
export async function readWhole<M>(session: CompactionSession<M>, codec: MessageCodec<M>, history: readonly M[]): Promise<readonly Message[]> {
  const read = await session.read(history).catch(() => [])
  return read.length === history.length ? read : history.map((message) => codec.read(message))
}
