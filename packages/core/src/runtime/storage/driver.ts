/** Where sessions keep their state: strings under keys, with a version for each write. */
export interface StorageDriver {
  readonly name: string
  /** What is written here leaves the machine, readable: personal data in archives is redacted first. Default: false. */
  readonly remote?: boolean
  get(key: string, options?: { readonly signal?: AbortSignal }): Promise<{ readonly body: string; readonly version: string } | undefined>
  /** `ifVersion`: the version that must be there, null for none. @throws ConflictError when another one is. */
  put(key: string, body: string, options?: { readonly ifVersion?: string | null; readonly signal?: AbortSignal }): Promise<{ readonly version: string }>
  delete(key: string): Promise<void>
  list(prefix: string): AsyncIterable<string>
}
