import { ConflictError } from '../../errors.ts'
import { fingerprint } from '../../history/fingerprint.ts'
import type { Message } from '../../history/message.ts'
import { folderOf } from '../../state/keys.ts'
import { indexKey, readIndex, type StoredSegment, segmentKey } from './archive-index.ts'
import { type ArchiveRedaction, archiveText, type RecordPlace } from './archive-text.ts'

/** Puts what is not yet on record of a transcript there: of `source` what `messages` are the reading of. */
export async function saveTranscript<M>(
  place: RecordPlace,
  session: string,
  source: readonly M[],
  messages: readonly Message[],
  signal?: AbortSignal,
  redact?: ArchiveRedaction,
): Promise<void> {
  const { driver } = place
  const folder = `${folderOf(session)}transcript/`
  let known: string | null | undefined
  let written = ''
  for (let refused = 0; ; ) {
    const { segments, version } = await readIndex(driver, folder)
    if (version !== known) refused = 0
    known = version
    // Rewound and forked histories keep what they share.
    const shared = segments.filter((segment) => segment.to <= messages.length && fingerprint(messages, segment.to) === segment.fingerprint)
    const from = shared.at(-1)?.to ?? 0
    if (from === messages.length) return
    signal?.throwIfAborted()
    const mark = fingerprint(messages)
    const key = segmentKey(folder, from, messages.length, mark)
    if (key !== written) await driver.put(key, archiveText(place, source.slice(from), redact))
    written = key
    const next: readonly StoredSegment[] = [...shared, { from, to: messages.length, fingerprint: mark, key }]
    try {
      await driver.put(indexKey(folder), JSON.stringify(next), { ifVersion: version })
      return
    } catch (error) {
      // Somebody else archived this session meanwhile: look again at what is missing. A storage that refuses while nothing there changes is asked no more.
      if (!ConflictError.isInstance(error) || ++refused === mostRefused) throw error
    }
  }
}

const mostRefused = 3
