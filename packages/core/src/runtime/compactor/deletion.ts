import { saidIn } from '../../state/forgotten.ts'
import { forget } from '../deletion/forget.ts'
import { gc } from '../deletion/gc.ts'
import { placesOf } from '../deletion/places.ts'
import type { RetentionPeriod } from '../deletion/retention.ts'
import type { GivenParts } from '../session/parts.ts'
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
  return {
    async forget(id, how) {
      await emitter.flush() // events on their way to the archive would come after it
      const held = open.get(id)?.session
      const done = await forget(places, id, clock.now(), saidIn(held?.state().checkpoints ?? []), how)
      if (how?.dryRun !== true) held?.close()
      return done
    },
    gc: (options = {}) =>
      gc({
        places,
        now: clock.now(),
        options,
        retention,
        isUsed(segment, since) {
          const found = open.find(segment)
          return found !== undefined && (!found.isIdle() || found.usedAt() >= since)
        },
        close: (segment) => open.find(segment)?.session.close(),
      }),
  }
}
