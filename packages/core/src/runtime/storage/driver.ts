/** Where sessions keep their state: strings under keys, with a version for each write. */
export interface StorageDriver {
  readonly name: string
  /** What is written here leaves the machine, readable: personal data in archives is redacted first. Default: false. */
  readonly remote?: boolean
  /** The exact text, with a version that changes with every write; undefined for what is not there. */
  get(key: string, options?: { readonly signal?: AbortSignal }): Promise<{ readonly body: string; readonly version: string } | undefined>
  /** `ifVersion`: the version that must be there, null for none. @throws ConflictError when another one is. */
  put(key: string, body: string, options?: { readonly ifVersion?: string | null; readonly signal?: AbortSignal }): Promise<{ readonly version: string }>
  /** Removes what stands under a key; nothing, where nothing does. */
  delete(key: string): Promise<void>
  /** All keys under a prefix, sorted. */
  list(prefix: string): AsyncIterable<string>
}
