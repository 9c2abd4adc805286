import { InvalidConfigurationError } from '../../errors.ts'
import { folderOf, keySegment } from '../../state/keys.ts'
import { parseState } from '../../state/parse-state.ts'
import { type ForgetOptions, type Forgot, forget } from '../deletion/forget.ts'
import { gc } from '../deletion/gc.ts'
import { placesOf } from '../deletion/places.ts'
import type { RetentionPeriod } from '../deletion/retention.ts'
import { aDeadline, aFlag, checkGiven, type ValueRules } from '../given-values.ts'
import type { GivenParts } from '../session/host/parts.ts'
import type { OpenSession } from '../session/session.ts'
import { readable } from '../storage/checked-storage.ts'
import type { Compactor, CompactorOptions } from './compactor-types.ts'
import type { OpenSessions } from './open-sessions.ts'

/** Deletes what is stored, and lets go of what is held of it. */
export function createDeletion<M>(
  { storage, clock, emitter }: Pick<GivenParts<M>, 'storage' | 'clock' | 'emitter'>,
  { archive, outputs, exporters = [] }: Pick<CompactorOptions<M>, 'archive' | 'outputs' | 'exporters'>,
  open: OpenSessions<M>,
  retention: RetentionPeriod,
): Pick<Compactor<M>, 'forget' | 'gc'> {
  const places = placesOf(storage, archive, outputs)
  /** Conversations that begin alike are stored as one. */
  const storedIn = (segment: string): OpenSession<M>[] => [...open.all].filter(([, { id }]) => keySegment(id) === segment).map(([one]) => one)
  const saidBy = (held: readonly OpenSession<M>[]): string[] => held.flatMap((one) => one.said())
  return {
    async forget(id, how = {}) {
      if (typeof id !== 'string' || !id)
        throw new InvalidConfigurationError('session', id, Object(id) === id ? 'write its id, a text: session.id' : 'expected a text: String(id), say')
      checkGiven('forget', how, { dryRun: aFlag, deadline: aDeadline } satisfies ValueRules<ForgetOptions>)
      // Events on their way to the archive would come after it.
      if (exporters.some(({ keepsIds }) => keepsIds === true)) await emitter.flush()
      const held = storedIn(keySegment(id))
      const said = saidBy(held)
      const deleted: Forgot[] = []
      for (const earlier of new Set(held.flatMap(({ session }) => session.earlier ?? []))) {
        // What was stored while it said less, and was not gone on with yet.
        const before = storedIn(keySegment(earlier))
        const { keys } = await forget(places, earlier, clock.now(), [], { ...how, dryRun: true })
        if (keys.length === 0) continue
        deleted.push(await forget(places, earlier, clock.now(), saidBy(before), how))
        const note = await readable(storage, `${folderOf(earlier)}state.json`)
        said.push(...(parseState(note?.body ?? '')?.forgotten?.said ?? []))
        held.push(...before)
      }
      deleted.unshift(await forget(places, id, clock.now(), said, how))
      if (how.dryRun !== true) for (const { session } of held) session.close()
      const all = (what: keyof Forgot): string[] => [...new Set(deleted.flatMap((one) => one[what]))]
      return { keys: all('keys'), outputs: all('outputs'), left: all('left') }
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
