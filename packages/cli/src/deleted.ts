import { type Collected, type Compactor, createCompactor, createToolOutputStore, type Forgot, neutralCodec } from '@precis/core'
import { type ArchivePlace, existing, type OpenedArchive, withArchive } from './open-archive.ts'
import { plain } from './plain.ts'
import { sessionMeant } from './session-of-file.ts'

function compactorOf({ storage, archive, retention }: OpenedArchive): Compactor<unknown> {
  const outputs = createToolOutputStore(storage)
  // Nothing is read of a message here: whose it is does not matter.
  const codec = neutralCodec as unknown as Parameters<typeof createCompactor<unknown>>[0]['codec']
  return createCompactor<unknown>({ codec, storage, archive, outputs, ...(retention !== undefined && { retention }) })
}

/** Deletes all that is stored of one conversation, or says what that would be. */
export function forgetSession(session: string, place: ArchivePlace, dryRun: boolean): Promise<Forgot> {
  return withArchive(place, async (open) => compactorOf(await existing(open)).forget(await sessionMeant(open.storage, session), { deadline: Infinity, dryRun }))
}

export function renderForgot(session: string, { keys, outputs, left }: Forgot, dryRun: boolean): string {
  if (keys.length === 0) return `Nothing is stored under "${plain(session)}".`
  const lines = [`${plain(session)}: ${many(keys.length, 'key')} and ${many(outputs.length, 'whole output')} ${dryRun ? 'would be deleted' : 'deleted'}`]
  if (dryRun) lines.push(...keys.map(plain), ...outputs.map((id) => `outputs/${id}/`))
  if (left.length > 0) lines.push(`${many(left.length, 'output')} left for gc: what other conversations name could not be read`)
  return lines.join('\n')
}

interface GcFlags {
  /** Instead of the configuration's. */
  readonly days?: number
  readonly dryRun: boolean
}

/** Removes what was not used for longer than the retention: all of it, piece by piece. */
export function collectGarbage(place: ArchivePlace, flags: GcFlags): Promise<Collected> {
  return withArchive(place, async (open) => collect(compactorOf(await existing(open)), flags))
}

async function collect(compactor: Compactor<unknown>, { days, dryRun }: GcFlags): Promise<Collected> {
  const retention = days === undefined ? {} : { retention: { days } }
  let all: Collected | undefined
  for (let from: string | undefined; all === undefined || from !== undefined; ) {
    const { next, ...one } = await compactor.gc({ ...retention, deadline: Infinity, dryRun, ...(from !== undefined && { from }) })
    all = {
      conversations: [...(all?.conversations ?? []), ...one.conversations],
      leases: (all?.leases ?? 0) + one.leases,
      tombstones: (all?.tombstones ?? 0) + one.tombstones,
      outputs: [...(all?.outputs ?? []), ...one.outputs],
      failed: [...(all?.failed ?? []), ...one.failed],
    }
    from = next
  }
  return all
}

export function renderCollected({ conversations, leases, tombstones, outputs, failed }: Collected, dryRun: boolean): string {
  const counted = `${many(conversations.length, 'conversation')}, ${many(outputs.length, 'whole output')}, ${many(leases, 'lease')}, ${many(tombstones, 'deletion note')}`
  return [
    `${counted} ${dryRun ? 'would be removed' : 'removed'}`,
    ...conversations.map((id) => `conversation ${plain(id)}`),
    ...outputs.map((id) => `output ${id}`),
    ...failed.map(({ key, reason }) => `failed: ${plain(key)}: ${plain(reason)}`),
  ].join('\n')
}

function many(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`
}
