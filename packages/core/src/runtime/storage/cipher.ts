import { InvalidConfigurationError, TamperedError } from '../../errors.ts'
import { type EncryptedStorageOptions, type EncryptionKey, mark, type WebCryptoKey } from './encryption-key.ts'

/** Texts as they are stored, and back. */
export interface Cipher {
  seal(storageKey: string, text: string): Promise<string>
  open(storageKey: string, body: string): Promise<string>
}

const nonceLength = 12

/** AES-256-GCM, a nonce for each text, bound to where it is stored. */
export function createCipher({ key: keyFor, plain = false }: EncryptedStorageOptions): Cipher {
  const imported = new Map<string, Promise<WebCryptoKey>>()
  const importedKey = ({ id, key }: EncryptionKey): Promise<WebCryptoKey> => {
    if (!/^[\w.-]{1,200}$/.test(id)) throw new InvalidConfigurationError('key.id', id, 'expected letters, digits, ".", "_" or "-"')
    const bytes = key instanceof Uint8Array ? key : undefined
    if (bytes === undefined && Object(key).algorithm !== undefined) return Promise.resolve(key as WebCryptoKey)
    if (bytes?.byteLength !== 32)
      throw new InvalidConfigurationError('key', bytes === undefined ? typeof key : `${bytes.byteLength} bytes`, 'expected 32 bytes for AES-256')
    const known = imported.get(id) ?? crypto.subtle.importKey('raw', bytes.slice(), 'AES-GCM', false, ['encrypt', 'decrypt'])
    imported.set(id, known)
    return known
  }
  const seal: Cipher['seal'] = async (storageKey, text) => {
    const current = await keyFor()
    if (current === undefined) throw new InvalidConfigurationError('key', null, 'expected a key to write with')
    const nonce = crypto.getRandomValues(new Uint8Array(nonceLength))
    const algorithm = { name: 'AES-GCM', iv: nonce, additionalData: bytesOf(`${mark}\n${current.id}\n${storageKey}`) }
    const cipher = new Uint8Array(await crypto.subtle.encrypt(algorithm, await importedKey(current), bytesOf(text)))
    return `${mark}:${current.id}:${toBase64(nonce)}:${toBase64(cipher)}`
  }
  const open: Cipher['open'] = async (storageKey, body) => {
    const [begins, id, nonce, cipher] = body.split(':')
    if (begins !== mark || id === undefined || nonce === undefined || cipher === undefined) {
      if (plain) return body
      throw new TamperedError(storageKey, 'it is not encrypted')
    }
    const found = await keyFor(id)
    if (found === undefined) throw new TamperedError(storageKey, `its key "${id}" is not to be had`)
    const key = await importedKey(found)
    try {
      const algorithm = { name: 'AES-GCM', iv: fromBase64(nonce), additionalData: bytesOf(`${mark}\n${id}\n${storageKey}`) }
      return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(await crypto.subtle.decrypt(algorithm, key, fromBase64(cipher)))
    } catch {
      throw new TamperedError(storageKey, 'it was changed, moved, or encrypted with another key of the same id')
    }
  }
  return { seal, open }
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
