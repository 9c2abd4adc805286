import type { MessageCodec } from '../../history/codec.ts'
import type { Message } from '../../history/message.ts'
import type { ToolDefinition } from '../../history/tool.ts'
import type { Checkpoint } from '../../state/checkpoint.ts'
import type { Exporter } from '../telemetry/exporter.ts'
import type { ArchiveRepair } from './archive-index.ts'
import type { ArchiveOptions, ArchiveRedaction, RecordPlace } from './archive-text.ts'
import type { ArchivedSession } from './archived.ts'
import type { StorageDriver } from './driver.ts'
import { givenStorage, redactRule } from './given-storage.ts'
import { recallHistoryTool } from './recall-tool.ts'

/**
 * Everything on record, over any storage:
 *
 *     sessions/<id>/transcript/index.json          segments in order: from, to, fingerprint, key
 *     sessions/<id>/transcript/<from>-<to>-<hash>.json   messages of one segment, as the framework has them
 *     sessions/<id>/checkpoints/<version>-<id>.json      one compaction
 *     sessions/<id>/events/<time>-<number>-<writer>.jsonl  events as they happened
 *
 * Segments are written before the index that names them: a crash in between leaves the index as it was, and the next attempt goes on from there.
 * Their names say what the index does, so that a damaged one is read from them.
 */
export interface Archive<M> {
  /** What it writes to: `forget` and `gc` of a compactor delete there too. Absent: they know nothing of it. */
  readonly storage?: StorageDriver
  /** Whether texts are redacted before they are written. */
  readonly redacts: boolean
  /** Makes sure that all these messages are on record. Writes only what is not. `messages` is the reading of `source`, 1 : 1. `redact` is the compactor's: used where the archive has none of its own. */
  saveTranscript(sessionId: string, source: readonly M[], messages: readonly Message[], signal?: AbortSignal, redact?: ArchiveRedaction): Promise<void>
  /** Puts one compaction on record, with the summary that a model is shown. */
  saveCheckpoint(sessionId: string, checkpoint: Checkpoint, at: number, redact?: ArchiveRedaction): Promise<void>
  /** What is on record, as far as it can be read: damage is named, not thrown. */
  read(sessionId: string): Promise<ArchivedSession<M>>
  /** Writes a damaged or missing index anew from the segments that are there. Deletes nothing. */
  repair(sessionId: string): Promise<ArchiveRepair>
  /** Ids of sessions with something on record, sorted by their keys; of an id that is too long or reserved for a key, the name under which it is stored. `read`, `repair` and `forget` take both, so pass them no id that a user chose: `recallTool` takes ids alone. */
  sessions(): AsyncIterable<string>
  /** Deletes events and checkpoints older than this (milliseconds since 1970), and the whole record of sessions with nothing newer that were not used since. States stay: `gc` of a compactor deletes those. @returns keys that were deleted. */
  prune(before: number): Promise<readonly string[]>
  /** Deletes all that is on record of one session. `compactor.forget` does more. @returns keys that were deleted. */
  forget(sessionId: string): Promise<readonly string[]>
  /** Every text on record that may name a stored tool output. */
  texts(): AsyncIterable<string>
  /** Writes events into the archive; for `exporters`. */
  exporter(): Exporter
  /** `recall_history` for the model: search and page what is on record. */
  recallTool(sessionId: string, codec: Pick<MessageCodec<M>, 'read'>): ToolDefinition
}

/** What reads, deletes and writes is loaded when it is asked for. */
const onRecord = () => import('./on-record.ts')

/**
 * An archive over any storage, for the option `archive` of an adapter or a compactor.
 *
 * @throws InvalidConfigurationError for what is no storage, and for options that cannot be meant. StorageError from its methods, when the storage fails.
 */
export function createArchive<M = Message>(storage: StorageDriver, options: ArchiveOptions = {}): Archive<M> {
  const driver = givenStorage(storage, options, { ...redactRule, 'personalData?': ['redact', 'keep'] })
  const place: RecordPlace = { driver, options }
  return {
    storage: driver,
    redacts: options.redact !== false,
    saveTranscript: async (...given) => (await import('./save-transcript.ts')).saveTranscript(place, ...given),
    saveCheckpoint: async (...given) => (await onRecord()).saveCheckpoint(place, ...given),
    read: async (sessionId) => (await onRecord()).readRecord(driver, sessionId),
    repair: async (sessionId) => (await onRecord()).repairRecord(driver, sessionId),
    async *sessions() {
      yield* (await onRecord()).sessionsOnRecord(driver)
    },
    prune: async (before) => (await onRecord()).pruneRecords(driver, before),
    forget: async (sessionId) => (await onRecord()).forgetRecord(driver, sessionId),
    async *texts() {
      yield* (await onRecord()).textsOnRecord(driver)
    },
    exporter: () => ({
      name: 'archive',
      keepsIds: true,
      export: async (events) => (await onRecord()).saveEvents(place, events),
    }),
    recallTool: (sessionId, codec) => recallHistoryTool(async () => (await onRecord()).recordedMessages(driver, sessionId, codec)),
  }
}
