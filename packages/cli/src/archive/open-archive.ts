import { stat } from 'node:fs/promises'
import { type Archive, createArchive, type EncryptedStorageOptions, type RetentionPeriod, type StorageDriver } from '@precis/core'
import { createRedactor } from '@precis/redaction'
import { TranscriptError } from '../transcripts/transcript-error.ts'
import { boundedStorage } from './bounded-storage.ts'

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
  /** What lies beneath an encryption, and its keys. */
  readonly encryption?: { readonly storage: StorageDriver; readonly keys: EncryptedStorageOptions }
  /** Where it lies; absent where that is no folder. */
  readonly folder?: string
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
    const folder = root ?? '.precis'
    const storage = fsStorage({ root: folder })
    return { storage, archive: createArchive<unknown>(storage, { redact: createRedactor() }), folder, close: async () => {} }
  }
  const { closeConfig, loadConfig, storageEncryption, storageFolder } = await import('@precis/config')
  const loaded = await loadConfig({ path: config })
  const { redact, retention } = loaded
  if (loaded.storage === undefined) throw new TranscriptError(`${config} names no storage. Add one: storage: { adapter: fs, path: ./.precis }.`)
  const storage = boundedStorage(loaded.storage)
  const close = (): Promise<void> => closeConfig(loaded)
  const folder = storageFolder(loaded)
  const archive = createArchive<unknown>(storage, { redact })
  const encryption = storageEncryption(loaded)
  return {
    storage,
    archive,
    ...(retention !== undefined && { retention }),
    ...(folder !== undefined && { folder }),
    ...(encryption !== undefined && { encryption: { ...encryption, storage: boundedStorage(encryption.storage) } }),
    close,
  }
}

/** @throws TranscriptError where nothing was ever stored: what deletes would find nothing, and make a folder that nobody uses. */
export async function existing(open: OpenedArchive): Promise<OpenedArchive> {
  const { folder } = open
  if (folder === undefined || (await stat(folder).catch(() => undefined)) !== undefined) return open
  throw new TranscriptError(`Nothing is stored in ${folder}: there is no such folder.`, {
    hint: 'Is it the right place (--root, --config)? A path in a configuration is relative to its file.',
  })
}
