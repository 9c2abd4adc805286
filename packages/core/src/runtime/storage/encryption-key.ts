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
export const mark = 'precis-aes-256-gcm-1'
