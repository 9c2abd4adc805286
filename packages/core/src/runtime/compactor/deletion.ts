import { saidIn } from '../../state/forgotten.ts'
import { keySegment } from '../../state/keys.ts'
import { forget } from '../deletion/forget.ts'
import { gc } from '../deletion/gc.ts'
import { placesOf } from '../deletion/places.ts'
import type { RetentionPeriod } from '../deletion/retention.ts'
import type { GivenParts } from '../session/parts.ts'
import type { OpenSession } from '../session/session.ts'
import type { Compactor, CompactorOptions } from './compactor-types.ts'
import type { OpenSessions } from './open-sessions.ts'

/** Deletes what is stored, and lets go of what is held of it. */
export function createDeletion<M>(
  { storage, clock, emitter }: Pick<GivenParts<M>, 'storage' | 'clock' | 'emitter'>,
  { archive, outputs }: Pick<CompactorOptions<M>, 'archive' | 'outputs'>,
  open: OpenSessions<M>,
  retention: RetentionPeriod,
): Pick<Compactor<M>, 'forget' | 'gc'> {
  const places = placesOf(storage, archive, outputs)
  /** Conversations that begin alike are stored as one. */
  const storedIn = (segment: string): OpenSession<M>[] => [...open.all].filter(([, { id }]) => keySegment(id) === segment).map(([one]) => one)
  return {
    async forget(id, how) {
      await emitter.flush() // events on their way to the archive would come after it
      const held = storedIn(keySegment(id))
      const said = held.flatMap(({ session }) => saidIn(session.state().checkpoints))
      const done = await forget(places, id, clock.now(), said, how)
      if (how?.dryRun !== true) for (const { session } of held) session.close()
      return done
    },
    gc: (options = {}) =>
      gc({
        places,
        now: clock.now(),
        options,
        retention,
        isUsed: (segment, since) => storedIn(segment).some((one) => !one.isIdle() || one.usedAt() >= since),
        close(segment) {
          for (const { session } of storedIn(segment)) session.close()
        },
      }),
  }
}
