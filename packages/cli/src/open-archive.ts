import { type Archive, createArchive, type RetentionPeriod, type StorageDriver } from '@precis/core'
import { createRedactor } from '@precis/redaction'
import { boundedStorage } from './bounded-storage.ts'
import { TranscriptError } from './transcript-error.ts'

/** Where sessions are on record: a folder, or the storage that a configuration names (encrypted ones and S3 too). */
export interface ArchivePlace {
  readonly root?: string
  readonly config?: string
}

export interface OpenedArchive {
  readonly storage: StorageDriver
  readonly archive: Archive<unknown>
  /** Absent: as usual. */
  readonly retention?: RetentionPeriod
}

/** Does something with an archive, and closes the storage's connections: a process that leaves them open never ends. @throws TranscriptError */
export async function withArchive<T>(place: ArchivePlace, work: (open: OpenedArchive) => Promise<T>): Promise<T> {
  const { close, ...open } = await openArchive(place)
  try {
    return await work(open)
  } finally {
    await close()
  }
}

/** Packages of storages are loaded here and not before: the other commands start without them. */
async function openArchive({ root, config }: ArchivePlace): Promise<OpenedArchive & { readonly close: () => Promise<void> }> {
  if (config === undefined) {
    const { fsStorage } = await import('@precis/storage-fs')
    const storage = fsStorage({ root: root ?? '.precis' })
    return { storage, archive: createArchive<unknown>(storage, { redact: createRedactor() }), close: async () => {} }
  }
  const { closeConfig, loadConfig } = await import('@precis/config')
  const loaded = await loadConfig({ path: config })
  const { redact, retention } = loaded
  if (loaded.storage === undefined) throw new TranscriptError(`${config} names no storage. Add one: storage: { adapter: fs, path: ./.precis }.`)
  const storage = boundedStorage(loaded.storage)
  const close = (): Promise<void> => closeConfig(loaded)
  return { storage, archive: createArchive<unknown>(storage, { redact }), ...(retention !== undefined && { retention }), close }
}
