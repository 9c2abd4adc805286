import { parseJson } from '../../history/json.ts'
import type { StorageDriver } from './driver.ts'

/** One stretch of a transcript on record. */
export interface StoredSegment {
  readonly from: number
  readonly to: number
  /** Of all messages up to `to`. */
  readonly fingerprint: string
  readonly key: string
}

/** Key of a segment's messages; its name says all that the index does. */
export function segmentKey(folder: string, from: number, to: number, fingerprint: string): string {
  return `${folder}${from}-${to}-${fingerprint.slice(fingerprint.indexOf(':') + 1)}.json`
}

/** What `repair` found. */
export interface ArchiveRepair {
  /** Whether the index was written anew. */
  readonly rebuilt: boolean
  /** Messages that the index leads to now. */
  readonly messages: number
  /** Keys of segments that are damaged themselves. They stay as they are: restore them from a backup, or delete them. */
  readonly damaged: readonly string[]
}

interface Indexed {
  readonly segments: readonly StoredSegment[]
  readonly version: string | null
  /** false: what stood there could not be read, and these are the segments that were found. */
  readonly sound: boolean
}

export const indexKey = (folder: string): string => `${folder}index.json`

export async function readIndex(storage: StorageDriver, folder: string): Promise<Indexed> {
  const found = await storage.get(indexKey(folder))
  if (found === undefined) return { segments: [], version: null, sound: true }
  const segments = parseIndex(found.body)
  return { segments: segments ?? (await rebuiltIndex(storage, folder)), version: found.version, sound: segments !== undefined }
}

/** A transcript up to its first segment that cannot be read, and the keys of what is damaged. */
export async function readTranscript<M>(
  storage: StorageDriver,
  folder: string,
): Promise<{ readonly messages: readonly M[]; readonly damaged: readonly string[] }> {
  const { segments, sound } = await readIndex(storage, folder)
  const { messages, damaged } = await messagesOf<M>(storage, segments)
  return { messages, damaged: sound ? damaged : [indexKey(folder), ...damaged] }
}

export async function repairIndex(storage: StorageDriver, folder: string): Promise<ArchiveRepair> {
  const { segments: known, version, sound } = await readIndex(storage, folder)
  const segments = version === null ? await rebuiltIndex(storage, folder) : known
  const rebuilt = segments.length > 0 && (!sound || version === null)
  if (rebuilt) await storage.put(indexKey(folder), JSON.stringify(segments), { ifVersion: version })
  const { messages, damaged } = await messagesOf(storage, segments)
  return { rebuilt, messages: messages.length, damaged }
}

async function messagesOf<M>(
  storage: StorageDriver,
  segments: readonly StoredSegment[],
): Promise<{ readonly messages: readonly M[]; readonly damaged: readonly string[] }> {
  const messages: M[] = []
  for (const { key, from, to } of segments) {
    const stretch = parseJson((await storage.get(key))?.body ?? '')
    if (!Array.isArray(stretch) || stretch.length !== to - from) return { messages, damaged: [key] }
    for (const message of stretch as M[]) messages.push(message)
  }
  return { messages, damaged: [] }
}

/** @returns undefined for what is no index of ours: a damaged one, or one whose segments do not follow each other. */
function parseIndex(body: string): readonly StoredSegment[] | undefined {
  const value = parseJson(body)
  if (!Array.isArray(value)) return undefined
  let end = 0
  for (const one of value as readonly unknown[]) {
    const { from, to, fingerprint, key } = Object(one) as Partial<StoredSegment>
    if (from !== end || typeof to !== 'number' || !(to > from) || typeof fingerprint !== 'string' || typeof key !== 'string') return undefined
    end = to
  }
  return value as readonly StoredSegment[]
}

/**
 * The index that the segments themselves tell of: of all ways to follow one another from the first message on, the one that reaches farthest in the fewest steps.
 * Stretches of a conversation that was rewound overlap; which of two of the same reach was the newest is not known any more.
 */
async function rebuiltIndex(storage: StorageDriver, folder: string): Promise<readonly StoredSegment[]> {
  const segments: StoredSegment[] = []
  for await (const key of storage.list(folder)) {
    const [, from, to, hash] = /^(\d+)-(\d+)-(\w+)\.json$/.exec(key.slice(folder.length)) ?? []
    if (hash !== undefined) segments.push({ from: Number(from), to: Number(to), fingerprint: `${to}:${hash}`, key })
  }
  const ways = new Map<number, readonly StoredSegment[]>([[0, []]])
  for (const segment of segments.sort((a, b) => a.to - b.to || a.from - b.from)) {
    const before = ways.get(segment.from)
    const known = ways.get(segment.to)
    if (before !== undefined && segment.to > segment.from && (known === undefined || before.length + 1 < known.length))
      ways.set(segment.to, [...before, segment])
  }
  return ways.get(Math.max(...ways.keys())) ?? []
}
