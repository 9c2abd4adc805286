export type { FsStorageOptions } from './fs-storage.ts'
export { fsStorage } from './fs-storage.ts'
