import { ConflictError, InvalidConfigurationError, reasonOf, TamperedError } from '../../errors.ts'
import type { StorageDriver } from './driver.ts'

/** A key and the id under which it is found again. */
export interface EncryptionKey {
  /** Stored beside the text, so that it can be read after the key has been changed: letters, digits, `.`, `_`, `-`. */
  readonly id: string
  /** 32 bytes, or an AES-GCM key of WebCrypto. */
  readonly key: Uint8Array | WebCryptoKey
}

/** `CryptoKey` of the DOM, which not every program's types have. */
export type WebCryptoKey = Awaited<ReturnType<typeof crypto.subtle.importKey>>

/** Where keys come from. */
export interface EncryptedStorageOptions {
  /** Without an id: the key to write with now. With one: the key of that id, for reading; undefined when it is no longer to be had. */
  readonly key: (id?: string) => Promise<EncryptionKey | undefined> | EncryptionKey | undefined
  /** Whether texts that were stored before encryption was switched on are read as they are. Default false: they count as tampered with. */
  readonly plain?: boolean
}

/** Of the form in which texts are stored: mark, key id, nonce and ciphertext. */
const mark = 'precis-aes-256-gcm-1'
const nonceLength = 12

/**
 * A storage whose content is encrypted before it leaves the process: AES-256-GCM with a nonce of its own for each write, bound to the key under which it is
 * stored, so that neither a changed nor a moved text is taken for true. Key names stay readable. Wrap the driver that you pass as `storage`, or to
 * `createArchive` and `createToolOutputStore`.
 *
 * @throws From its methods: TamperedError for a text that was changed or moved, is not encrypted (unless `plain`), or whose key is not to be had;
 * InvalidConfigurationError without a key to write with, and for a key that is not 32 bytes or has no usable id; what the driver throws.
 */
export function encryptedStorage(driver: StorageDriver, { key: keyFor, plain = false }: EncryptedStorageOptions): StorageDriver {
  const imported = new Map<string, Promise<WebCryptoKey>>()
  const importedKey = ({ id, key }: EncryptionKey): Promise<WebCryptoKey> => {
    if (!/^[\w.-]{1,200}$/.test(id)) throw new InvalidConfigurationError('key.id', id, 'expected letters, digits, ".", "_" or "-"')
    if (!(key instanceof Uint8Array)) return Promise.resolve(key)
    if (key.byteLength !== 32) throw new InvalidConfigurationError('key', `${key.byteLength} bytes`, 'expected 32 bytes for AES-256')
    const known = imported.get(id) ?? crypto.subtle.importKey('raw', key.slice(), 'AES-GCM', false, ['encrypt', 'decrypt'])
    imported.set(id, known)
    return known
  }
  const seal = async (storageKey: string, text: string): Promise<string> => {
    const current = await keyFor()
    if (current === undefined) throw new InvalidConfigurationError('key', null, 'expected a key to write with')
    const nonce = crypto.getRandomValues(new Uint8Array(nonceLength))
    const algorithm = { name: 'AES-GCM', iv: nonce, additionalData: bytesOf(`${mark}\n${current.id}\n${storageKey}`) }
    const cipher = new Uint8Array(await crypto.subtle.encrypt(algorithm, await importedKey(current), bytesOf(text)))
    return `${mark}:${current.id}:${toBase64(nonce)}:${toBase64(cipher)}`
  }
  const open = async (storageKey: string, body: string): Promise<string> => {
    const [found, id, nonce, cipher] = body.split(':')
    if (found !== mark || id === undefined || nonce === undefined || cipher === undefined) {
      if (plain) return body
      throw new TamperedError(storageKey, 'it is not encrypted')
    }
    const key = await keyFor(id)
    if (key === undefined) throw new TamperedError(storageKey, `its key "${id}" is not to be had`)
    try {
      const algorithm = { name: 'AES-GCM', iv: fromBase64(nonce), additionalData: bytesOf(`${mark}\n${id}\n${storageKey}`) }
      return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(
        await crypto.subtle.decrypt(algorithm, await importedKey(key), fromBase64(cipher)),
      )
    } catch {
      throw new TamperedError(storageKey, 'it was changed, moved, or encrypted with another key of the same id')
    }
  }
  return {
    name: `encrypted ${driver.name}`,
    async get(key, options) {
      const found = await driver.get(key, options)
      return found === undefined ? undefined : { body: await open(key, found.body), version: found.version }
    },
    put: async (key, body, options) => driver.put(key, await seal(key, body), options),
    delete: (key) => driver.delete(key),
    list: (prefix) => driver.list(prefix),
  }
}

/** What a rotation came to. */
export interface Rotation {
  /** Texts that were written anew. */
  readonly written: number
  /** What was left as it is because it could not be read or written, and why. Older keys are needed for as long as there is any. */
  readonly failed: readonly { readonly key: string; readonly reason: string }[]
}

/**
 * Writes everything under `prefix` anew with the current key, after which older keys can go. What somebody else writes meanwhile is written with the current key anyway.
 * An object that cannot be read or written is reported, and the rest goes on.
 *
 * @throws InvalidConfigurationError without a key to write with; what listing the storage throws.
 */
export async function rotateEncryption(driver: StorageDriver, options: EncryptedStorageOptions, prefix = ''): Promise<Rotation> {
  const encrypted = encryptedStorage(driver, options)
  const failed: { readonly key: string; readonly reason: string }[] = []
  let written = 0
  for await (const key of driver.list(prefix)) {
    try {
      const raw = await driver.get(key)
      const current = await options.key()
      if (raw === undefined || raw.body.startsWith(`${mark}:${current?.id ?? ''}:`)) continue
      const found = await encrypted.get(key)
      if (found === undefined) continue
      await encrypted.put(key, found.body, { ifVersion: found.version })
      written++
    } catch (error) {
      if (InvalidConfigurationError.isInstance(error)) throw error
      if (!ConflictError.isInstance(error)) failed.push({ key, reason: reasonOf(error) })
    }
  }
  return { written, failed }
}

function bytesOf(text: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(text)
}

function toBase64(bytes: Uint8Array): string {
  let text = ''
  for (let at = 0; at < bytes.length; at += 8_192) text += String.fromCharCode(...bytes.subarray(at, at + 8_192))
  return btoa(text)
}

function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0))
}
