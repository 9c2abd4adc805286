import type { Message } from '../../../history/message.ts'
import { breath } from '../../platform/slices.ts'
import type { Request } from '../measuring/measure.ts'
import type { Held } from '../memory.ts'
import type { SessionParts } from '../session-parts.ts'
import type { BackgroundCompaction, ModelCall } from '../session-types.ts'
import type { MadeAhead } from '../summarizing/background.ts'

/** Has a summary written before it is needed: by whoever works on the queue, or by this process. Nobody waits for it. */
export async function askAhead<M>(parts: SessionParts<M>, held: Held<M>, history: readonly M[], call: ModelCall): Promise<void> {
  if (parts.queue) (await import('./enqueue.ts')).enqueue(parts, parts.queue, call)
  else runAhead(parts, held, history, call)
}

/** A summary written in this process beside the agent. It is stored when it is ready, between two requests, or by the one that waits for it. */
export function runAhead<M>(
  parts: SessionParts<M>,
  held: Held<M>,
  history: readonly M[],
  { signal: _callers, ...call }: ModelCall,
  request?: () => Request,
): BackgroundCompaction {
  const work = async (signal: AbortSignal): Promise<MadeAhead | undefined> => {
    await breath() // the request that is waited for goes out first
    parts.effects.begin()
    const { summaryAhead } = await import('./compact-ahead.ts')
    return summaryAhead(parts, held, history, { ...call, signal }, request)
  }
  // A request that is there already goes first: it knows the newest history.
  const ready = (): void => void setTimeout(() => parts.background.running() && parts.soon(() => adoptReady(parts, held)))
  return parts.background.start(work, ready)
}

/** Takes over what was prepared in the background, where something was. @param messages - The history as it is now; as it was then where nobody has a newer one. */
export async function adoptReady<M>(parts: SessionParts<M>, held: Held<M>, messages?: readonly Message[]): Promise<boolean> {
  const made = parts.background.take()
  return made !== undefined && (await import('./compact-ahead.ts')).adopt(parts, held, made, messages)
}
