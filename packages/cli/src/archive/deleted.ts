import { rm } from 'node:fs/promises'
import { type Collected, type Compactor, createCompactor, createToolOutputStore, type Forgot, neutralCodec } from '@precis/core'
import { plain } from '../look/plain.ts'
import { copiesOf } from './compacted-in-place.ts'
import { type ArchivePlace, existing, type OpenedArchive, withArchive } from './open-archive.ts'
import { sessionsInPlace, sessionsMeant } from './session-of-file.ts'

function compactorOf({ storage, archive, retention }: OpenedArchive): Compactor<unknown> {
  const outputs = createToolOutputStore(storage)
  // Nothing is read of a message here: whose it is does not matter.
  const codec = neutralCodec as unknown as Parameters<typeof createCompactor<unknown>>[0]['codec']
  return createCompactor<unknown>({ codec, storage, archive, outputs, ...(retention !== undefined && { retention }) })
}

/** What `compact --in-place` left beside files; `forget` and `gc` delete the notes that say where. */
interface Copies {
  /** Paths. Deleted where that was asked for. */
  readonly copies: readonly string[]
}

export interface ForgotFiles extends Forgot, Copies {
  /** The conversations: a file may have held several in turn. */
  readonly sessions: readonly string[]
}
export type CollectedFiles = Collected & Copies

/** Deletes all that is stored of one conversation, of a file with each that it held, or says what that would be. @param backups - The copies beside its file too. */
export function forgetSession(
  given: string,
  place: ArchivePlace,
  { dryRun, backups }: { readonly dryRun: boolean; readonly backups: boolean },
): Promise<ForgotFiles> {
  return withArchive(place, async (open) => {
    const compactor = compactorOf(await existing(open))
    const sessions = await sessionsMeant(open.storage, given)
    const copies = new Set<string>()
    const done: Forgot[] = []
    for (const session of sessions) {
      for (const path of await copiesOf(open.storage, session, given)) copies.add(path)
      done.push(await compactor.forget(session, { deadline: Infinity, dryRun }))
    }
    if (backups && !dryRun) for (const path of copies) await rm(path, { force: true })
    const all = (of: (one: Forgot) => readonly string[]): readonly string[] => [...new Set(done.flatMap(of))]
    return { sessions, keys: all(({ keys }) => keys), outputs: all(({ outputs }) => outputs), left: all(({ left }) => left), copies: [...copies] }
  })
}

export function renderForgot(
  session: string,
  { sessions, keys, outputs, left, copies }: ForgotFiles,
  { dryRun, backups }: { readonly dryRun: boolean; readonly backups: boolean },
): string {
  if (keys.length === 0) return `Nothing is stored under "${plain(session)}".`
  const held = sessions.length > 1 ? `, which held ${sessions.map(plain).join(', ')}` : ''
  const lines = [`${plain(session)}${held}: ${many(keys.length, 'key')} and ${many(outputs.length, 'whole output')} ${dryRun ? 'would be deleted' : 'deleted'}`]
  if (dryRun) lines.push(...keys.map(plain), ...outputs.map((id) => `outputs/${id}/`))
  if (left.length > 0) lines.push(`${many(left.length, 'output')} left for gc: what other conversations name could not be read`)
  const fate = backups ? (dryRun ? 'would be deleted' : 'deleted') : 'stays, delete it yourself'
  lines.push(...copies.map((path) => `copy ${plain(path)}: ${fate}`))
  return lines.join('\n')
}

interface GcFlags {
  /** Instead of the configuration's. */
  readonly days?: number
  readonly dryRun: boolean
}

/** Removes what was not used for longer than the retention: all of it, piece by piece. */
export function collectGarbage(place: ArchivePlace, flags: GcFlags): Promise<CollectedFiles> {
  return withArchive(place, async (open) => {
    const compactor = compactorOf(await existing(open))
    const copies = new Map<string, readonly string[]>()
    for (const session of await sessionsInPlace(open.storage)) copies.set(session, await copiesOf(open.storage, session))
    const done = await collect(compactor, flags)
    return { ...done, copies: done.conversations.flatMap((id) => copies.get(id) ?? []) }
  })
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

export function renderCollected({ conversations, leases, tombstones, outputs, failed, copies }: CollectedFiles, dryRun: boolean): string {
  const counted = `${many(conversations.length, 'conversation')}, ${many(outputs.length, 'whole output')}, ${many(leases, 'lease')}, ${many(tombstones, 'deletion note')}`
  return [
    `${counted} ${dryRun ? 'would be removed' : 'removed'}`,
    ...conversations.map((id) => `conversation ${plain(id)}`),
    ...outputs.map((id) => `output ${id}`),
    ...copies.map((path) => `copy ${plain(path)}: stays, delete it yourself`),
    ...failed.map(({ key, reason }) => `failed: ${plain(key)}: ${plain(reason)}`),
  ].join('\n')
}

function many(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`
}
