import { ConflictError, checkedStorage, StorageError } from '@precis/core'
import { s3Storage } from '@precis/storage-s3'
import { storageDriverCases } from '@precis/testkit'
import { afterAll, describe, expect, it } from 'vitest'
import { type FakeS3, fakeS3 } from './fake-s3.ts'

const servers: FakeS3[] = []
const fresh = async (): Promise<FakeS3> => {
  const server = await fakeS3()
  servers.push(server)
  return server
}
afterAll(() => {
  for (const server of servers) server.close()
})
const client = (endpoint: string) => ({ endpoint, region: 'us-east-1', forcePathStyle: true, credentials: { accessKeyId: 'a', secretAccessKey: 's' } })

describe('s3 storage, against a strict fake', () => {
  it.each(storageDriverCases)(
    '$name',
    ({ run }) => run(async () => s3Storage({ bucket: 'bucket', prefix: 'team/agents', client: client((await fresh()).endpoint) })),
    60_000,
  )

  it('puts everything under its prefix, encrypted as asked', async () => {
    const server = await fresh()
    await s3Storage({ bucket: 'bucket', prefix: 'p/', encryption: 's3', client: client(server.endpoint) }).put('a/b.json', '{}')
    await s3Storage({ bucket: 'bucket', encryption: { kmsKeyId: 'key-1' }, client: client(server.endpoint) }).put('a/b.json', '{}', { ifVersion: null })
    expect(server.requests.map((request) => request.path)).toEqual(['/bucket/p/a/b.json', '/bucket/a/b.json'])
    expect(server.requests[0]?.headers['x-amz-server-side-encryption']).toBe('AES256')
    expect(server.requests[1]?.headers['x-amz-server-side-encryption']).toBe('aws:kms')
    expect(server.requests[1]?.headers['x-amz-server-side-encryption-aws-kms-key-id']).toBe('key-1')
    expect(server.requests[1]?.headers['if-none-match']).toBe('*')
  })
  it('a refusal of the service is not taken for a conflict, nor for absence', async () => {
    const { endpoint } = await fresh()
    const lost = s3Storage({ bucket: 'other', client: { ...client(endpoint), maxAttempts: 1 } })
    await expect(lost.put('a', 'b')).rejects.toSatisfy((error) => !ConflictError.isInstance(error))
    await expect(lost.put('a', 'b', { ifVersion: 'v' })).rejects.toSatisfy((error) => !ConflictError.isInstance(error))
    const away = s3Storage({ bucket: 'bucket', client: { ...client('http://127.0.0.1:9'), maxAttempts: 1 } })
    await expect(away.get('a')).rejects.toThrow()
  })
  it('a bucket that does not exist is named, and no empty storage', async () => {
    const storage = checkedStorage(s3Storage({ bucket: 'typo', client: { ...client((await fresh()).endpoint), maxAttempts: 1 } }))
    const listed = async () => {
      for await (const key of storage.list('')) return key
    }
    const calls = { get: () => storage.get('a'), put: () => storage.put('a', 'b', { ifVersion: 'v' }), delete: () => storage.delete('a'), list: listed }
    for (const [name, call] of Object.entries(calls)) {
      const error = await call().then(
        () => undefined,
        (thrown: unknown) => thrown,
      )
      expect(StorageError.isInstance(error), name).toBe(true)
      expect(String(error)).toContain('there is no bucket "typo"')
    }
  })
})
