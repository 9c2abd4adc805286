/** Where sessions keep their state: strings under keys, with a version of each. */
export interface StorageDriver {
  readonly name: string
  /** What is written here leaves the machine, readable: personal data in archives is redacted first. Default: false. */
  readonly remote?: boolean
  /** The exact text, with a version that differs whenever the text does (a hash of it will do); undefined for what is not there. */
  get(key: string, options?: { readonly signal?: AbortSignal }): Promise<{ readonly body: string; readonly version: string } | undefined>
  /** `ifVersion`: the version that must be there, null for none. @throws ConflictError when another one is. */
  put(key: string, body: string, options?: { readonly ifVersion?: string | null; readonly signal?: AbortSignal }): Promise<{ readonly version: string }>
  /** Removes what stands under a key; nothing, where nothing does. */
  delete(key: string): Promise<void>
  /** All keys that begin with a prefix, letter by letter, sorted. Keys are up to 400 characters long, and ids in them are full of percent signs. */
  list(prefix: string): AsyncIterable<string>
}
