import { S3Client } from '@aws-sdk/client-s3'
import type { StorageDriver } from '@precis/core'
import { fsStorage } from '@precis/storage-fs'
import { s3Storage } from '@precis/storage-s3'
import { type UnstorageDriver, unstorageStorage } from '@precis/storage-unstorage'
import { createDatabase } from 'db0'
import postgresql from 'db0/connectors/postgresql'
import db0Driver from 'unstorage/drivers/db0'
import redisDriver from 'unstorage/drivers/redis'

/** Where the real servers of this suite listen. */
export interface Connections {
  readonly folder: string
  readonly redis: string
  readonly postgres: string
  readonly s3: { readonly endpoint: string; readonly access: string; readonly secret: string }
}

export const storageNames = ['fs', 'S3', 'Redis', 'PostgreSQL'] as const

/** A storage as one process opens it. */
export function storageOf(name: string, root: string, { folder, redis, postgres, s3 }: Connections): StorageDriver {
  switch (name) {
    case 'fs':
      return fsStorage({ root: `${folder}/${root}` })
    case 'S3': {
      const credentials = { accessKeyId: s3.access, secretAccessKey: s3.secret }
      return s3Storage({
        bucket: 'precis',
        prefix: root,
        client: new S3Client({ endpoint: s3.endpoint, region: 'us-east-1', forcePathStyle: true, credentials, maxAttempts: 5 }),
      })
    }
    case 'Redis':
      return unstorageStorage(redisDriver({ url: redis, base: root }) as unknown as UnstorageDriver)
    default:
      return unstorageStorage(db0Driver({ database: createDatabase(postgresql({ url: postgres })), tableName: root }) as unknown as UnstorageDriver)
  }
}
