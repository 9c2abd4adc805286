import {
  builtInEstimator,
  type Checkpoint,
  type CompactionReport,
  type CompactionState,
  createCompactor,
  estimateMessage,
  fingerprint,
  InsufficientBudgetError,
  initialState,
  keySegment,
  type MessageCodec,
  memoryStorage,
} from '@precis/core'
import { type CompactSettings, compactHistory, settingsFor } from './compact.ts'
import { type Log, logsOf, type OnUnfinished, type Progress } from './transcripts/log.ts'
import { TranscriptError } from './transcripts/transcript-error.ts'

/** A log that was too large to hold, compacted as it was read. */
export interface CompactedLog {
  /** The context at the end, as the log has its messages. */
  readonly messages: readonly unknown[]
  /** Of the last compaction. */
  readonly report: CompactionReport
  /** Messages of the whole log. */
  readonly read: number
}

/** Tokens that are read until they are compacted: about 600 kB of text, and some twenty times as much memory while it is gone through. */
const portion = 150_000

/**
 * Compacts a log of any size while it is read: what has left the context is forgotten, so that memory holds the context and one portion.
 * Nothing leaves the machine, and the log is not touched.
 */
export async function compactLog(
  path: string,
  settings: CompactSettings & { readonly portion?: number },
  onProgress?: Progress,
  onUnfinished?: OnUnfinished,
): Promise<CompactedLog> {
  let result: CompactedLog | undefined
  for await (const log of logsOf(path, onProgress, onUnfinished)) {
    if (result !== undefined) throw new TranscriptError(`${path} holds several conversations; compact takes one.`)
    result = await compactOne(log, settings)
  }
  return result as CompactedLog // a file without any is refused by logsOf
}

async function compactOne({ name, codec, messages, write }: Log, settings: CompactSettings & { readonly portion?: number }): Promise<CompactedLog> {
  const most = Math.max(settings.portion ?? portion, 2 * settings.window)
  let history: unknown[] = []
  let state = initialState
  let [read, waiting] = [0, 0]
  for await (const message of messages) {
    history.push(message)
    read++
    waiting += estimateMessage(codec.read(message), builtInEstimator)
    if (waiting < most) continue
    waiting = 0
    try {
      ;({ history, state } = rebase((await compacted(name, codec, history, state, { ...settings, onlyIfDue: false })).checkpoint, history, codec))
    } catch (error) {
      // A message that alone does not fit stands at this place; at the next one it may be an older one.
      if (!InsufficientBudgetError.isInstance(error)) throw error
    }
  }
  const { result } = await compacted(name, codec, history, state, settings)
  return { ...result, messages: write(result.messages), read }
}

async function compacted(name: string, codec: MessageCodec<unknown>, history: readonly unknown[], state: CompactionState, settings: CompactSettings) {
  const storage = memoryStorage()
  await storage.put(`sessions/${keySegment(name)}/state.json`, JSON.stringify(state))
  const newSession = (own: CompactSettings) => createCompactor({ ...settingsFor(codec, own), storage }).session(name)
  let session = newSession(settings)
  const result = await compactHistory(history, settings, (own) => (session = newSession(own)))
  return { result, checkpoint: session.state().checkpoints.at(-1) }
}

/** The same context, told by what it still shows: as if the messages that left it had never been there. */
function rebase(
  checkpoint: Checkpoint | undefined,
  history: unknown[],
  codec: MessageCodec<unknown>,
): { readonly history: unknown[]; readonly state: CompactionState } {
  if (checkpoint === undefined) return { history, state: initialState }
  const { kept, covered, parent: _gone, ...rest } = checkpoint
  const shown = kept.map((index) => history[index])
  const place = new Map(kept.map((index, at) => [index, at]))
  const own: Checkpoint = {
    ...rest,
    covered: shown.length,
    gone: { after: shown.length, count: (checkpoint.gone?.count ?? 0) + covered - shown.length },
    length: shown.length + history.length - covered,
    fingerprint: fingerprint(shown.map((message) => codec.read(message))),
    kept: shown.map((_, at) => at),
    dropped: [],
    edits: checkpoint.edits.flatMap((edit) => (place.has(edit.index) ? [{ ...edit, index: place.get(edit.index) as number }] : [])),
  }
  return { history: [...shown, ...history.slice(covered)], state: { ...initialState, checkpoints: [own] } }
}
