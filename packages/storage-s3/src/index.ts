export type { S3StorageOptions } from './s3-storage.ts'
export { s3Storage } from './s3-storage.ts'
