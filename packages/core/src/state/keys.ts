import { InvalidConfigurationError } from '../errors.ts'
import { hashOf } from '../history/hash.ts'

/** Characters of a whole key: object stores end at 1,024 bytes. */
const longestKey = 900
/** Characters of one segment: file systems end at 255 bytes. */
const longestSegment = 200

/** Every key of a conversation begins with it. */
export const conversationsRoot = 'sessions/'

/** Names that some file systems keep for themselves, whatever the extension. */
const reserved = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i

/** Half a pair: in this mode a whole one is another character. */
const loneSurrogate = /\p{Cs}/gu

/**
 * Any text as one segment of a storage key: the same text always gives the same segment, and two short texts never share one. Texts that differ in capitals alone
 * have segments that do, too: file systems that fold capitals (APFS and NTFS as they come, HFS+, exFAT, FAT) put them in one place.
 * Safe on every file system otherwise: no separators, no dots in front, no reserved names, at most 180 characters. A longer or reserved text ends with its hash
 * of 64 bits, which is not cryptographic: whoever chooses such a text can make it share the segment of another. Where users choose ids, shorten or hash them first.
 */
export function keySegment(text: string): string {
  const wellFormed = text.replace(loneSurrogate, '\ufffd')
  const encoded = encodeURIComponent(wellFormed).replace(/[.*'()!~]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`)
  const safe = text === wellFormed && encoded.length <= longestSegment - 20 && !reserved.test(encoded) && encoded !== ''
  return safe ? encoded : `${encoded.slice(0, longestSegment - 40).replace(/%.?$/, '')}~${hashOf(text)}`
}

/** The id of a conversation that nobody named, by the fingerprint of its beginning. */
export const unnamed = (fingerprint: string): string => `conversation-${fingerprint}`
export const isUnnamed = (session: string): boolean => /^conversation-[0-9a-f]{64}$/.test(session)

/** Where a storage holds all that belongs to one conversation. */
export const folderOf = (session: string): string => `${conversationsRoot}${keySegment(session)}/`

/** The text that a segment was made of; undefined where only its hash is left. */
export function segmentText(segment: string): string | undefined {
  return segment.includes('~') ? undefined : decodeURIComponent(segment)
}

/** What no segment may be or hold. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is refused
const unusable = /^$|[. ]$|[\s\S]{256}|[\u0000-\u001f\u007f\\:*?"<>|]/

/** Checks a storage key: 1 to 900 characters, segments of at most 255 between single slashes. @throws InvalidConfigurationError for a key that could leave the place it is meant for, or that some backend could not hold. */
export function checkKey(key: string): void {
  if (key.length <= longestKey && !key.split('/').some((segment) => unusable.test(segment) || reserved.test(segment))) return
  throw new InvalidConfigurationError(
    'storage key',
    key.length > 100 ? `${key.slice(0, 100)}…` : key,
    `expected segments of 1 to 255 characters, ${longestKey} in all: no final dot or blank, no name such as con, no control characters, none of \\ : * ? " < > |`,
  )
}
