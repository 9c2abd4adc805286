/** What we use of an unstorage driver: `redisDriver({ url })`, `db0Driver({ database })` and the others under `unstorage/drivers/`. */
export interface UnstorageDriver {
  readonly name?: string
  readonly options?: unknown
  getInstance?(): unknown
  // biome-ignore lint/suspicious/noExplicitAny: as unstorage declares it
  hasItem(key: string, options: any): boolean | Promise<boolean>
  getItem(key: string): unknown
  setItem?(key: string, value: string, options: Record<string, never>): void | Promise<void>
  removeItem?(key: string, options: Record<string, never>): void | Promise<void>
  getKeys(base: string, options: Record<string, never>): string[] | Promise<string[]>
}
