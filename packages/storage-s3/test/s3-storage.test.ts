import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { S3Client } from '@aws-sdk/client-s3'
import { ConflictError, checkedStorage, InvalidConfigurationError, StorageError } from '@precis/core'
import { s3Storage } from '@precis/storage-s3'
import { storageDriverCases } from '@precis/testkit'
import { afterAll, describe, expect, it } from 'vitest'
import { type FakeS3, type FakeS3Options, fakeS3 } from './fake-s3.ts'

const servers: FakeS3[] = []
const fresh = async (options?: FakeS3Options): Promise<FakeS3> => {
  const server = await fakeS3(options)
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
  it('a write whose answer was lost is no conflict with itself; another text is', async () => {
    const storage = s3Storage({ bucket: 'bucket', client: client((await fresh({ lost: 1 })).endpoint) })
    const first = await storage.put('a', 'ours', { ifVersion: null })
    expect(await storage.get('a')).toEqual({ body: 'ours', version: first.version })
    const busy = s3Storage({ bucket: 'bucket', client: client((await fresh({ lost: 2 })).endpoint) })
    const { version } = await busy.put('a', 'one')
    expect(await busy.put('a', 'two', { ifVersion: version })).toEqual({ version: expect.any(String) })
    await expect(busy.put('a', 'three', { ifVersion: version })).rejects.toSatisfy((error) => ConflictError.isInstance(error))
  })
  it('in a bucket that keeps versions nothing of a deleted object is left, and all of the others is', async () => {
    const server = await fresh({ versioning: 'enabled' })
    const storage = s3Storage({ bucket: 'bucket', client: client(server.endpoint) })
    for (const body of ['1', '2', '3', '4', '5']) await storage.put('a/state.json', body)
    await storage.put('a/state.json.bak', 'another')
    await storage.delete('a/state.json')
    await storage.delete('a/never-there.json')
    expect(server.kept().map((line) => line.split(' ')[0])).toEqual(['bucket/a/state.json.bak'])
  })
  it('where versions may not be deleted, a deletion says so', async () => {
    const storage = checkedStorage(s3Storage({ bucket: 'bucket', client: client((await fresh({ versioning: 'denied' })).endpoint) }))
    await storage.put('a', 'b')
    await expect(storage.delete('a')).rejects.toThrow('the bucket "bucket" keeps versions of what is deleted: allow s3:ListBucketVersions')
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
  it('the ETag that a proxy weakens is the version all the same', async () => {
    const { endpoint } = await fresh({
      proxy: (response, found) => found !== undefined && response.writeHead(200, { etag: `W/${found.etag}` }).end(found.body) === response,
    })
    const storage = s3Storage({ bucket: 'bucket', client: client(endpoint) })
    const written = await storage.put('a', 'one', { ifVersion: null })
    const read = await storage.get('a')
    expect(read).toEqual({ body: 'one', version: written.version })
    expect(await storage.put('a', 'two', { ifVersion: read?.version ?? null })).toEqual({ version: expect.any(String) })
  })
  it.each([
    [301, 'the bucket "bucket" is in another region; correct `region`'],
    [403, 'the server answered with status 403, and not as S3 does'],
    [502, 'the server answered with status 502, and not as S3 does'],
  ])('what answers with %d and no words of S3 is told by that', async (status, said) => {
    const { endpoint } = await fresh({ proxy: (response) => response.writeHead(status).end('<html>no</body>') === response })
    const storage = s3Storage({ bucket: 'bucket', client: { ...client(endpoint), maxAttempts: 1 } })
    await expect(storage.get('a')).rejects.toThrow(said)
  })
  it.each([
    ['a sign-in page is no state, and nothing was stored there', 200, '<html>sign in</html>', 'the server answered without an ETag, and not as S3 does'],
    [
      'a server without conditional writes is told by what it lacks',
      501,
      '<Error><Code>NotImplemented</Code></Error>',
      'does not know what was asked, such as conditional writes',
    ],
  ])('%s', async (_, status, body, said) => {
    const server = createServer((request, response) => void request.resume().on('end', () => response.writeHead(status).end(body)))
    await once(server.listen(0, '127.0.0.1'), 'listening')
    const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const storage = s3Storage({ bucket: 'bucket', client: { ...client(endpoint), maxAttempts: 1 } })
    await expect(storage.get('a')).rejects.toThrow(said)
    await expect(storage.put('a', '{}', { ifVersion: null })).rejects.toThrow(said)
    server.close().closeAllConnections()
  })
  it('a body that does not end is given up with its signal', async () => {
    const { endpoint } = await fresh({ proxy: (response) => response.writeHead(200, { 'content-length': 100 }).write('half') })
    const storage = s3Storage({ bucket: 'bucket', client: client(endpoint) })
    await expect(storage.get('a', { signal: AbortSignal.timeout(100) })).rejects.toThrow()
  })
  it.each([
    [undefined, "bucket is undefined; expected the name of a bucket: s3Storage({ bucket: 'my-agents' })"],
    ['bucket', 'bucket is undefined; expected the name of a bucket'],
    [{ bucket: '' }, 'bucket is ""; expected the name of a bucket'],
    [{ Bucket: 'b' }, 'unknown option "Bucket" of s3Storage; write bucket'],
    [{ prefx: 'p' }, 'unknown option "prefx" of s3Storage; write prefix'],
    [{ prefix: null }, 'prefix is null; expected a text'],
    [{ region: 3 }, 'region is 3; expected the name of a region'],
    [
      { region: 'eu-west-1', client: new S3Client({ region: 'us-east-1' }) },
      'region is passed over beside a client of its own; write it into the client alone',
    ],
    [{ region: 'eu-west-1', client: { region: 'us-east-1' } }, 'region is passed over beside a client of its own; write it into the client alone'],
    [{ client: 'AKIAX9' }, 'client is a text; write new S3Client({ region, credentials })'],
    [{ endpoint: 'http://minio:9000' }, 'unknown option "endpoint" of s3Storage; write client: { endpoint, forcePathStyle: true, credentials }'],
    [{ credentials: { secretAccessKey: 'AKIAX9' } }, 'unknown option "credentials" of s3Storage; write client: { credentials }'],
    [{ multipartFrom: '16MB' }, 'multipartFrom is "16MB"; expected at least 5242880 bytes'],
    [{ encryption: 'S3' }, 'encryption is "S3"; write "s3" or { kmsKeyId:'],
    [{ encryption: true }, 'encryption is true; write "s3" or { kmsKeyId:'],
    [{ encryption: { kmsKeyID: 'K' } }, 'encryption is an object with kmsKeyID; write "s3" or { kmsKeyId:'],
    [{ encryption: { kmsKeyId: '' } }, 'encryption is an object with kmsKeyId; write "s3" or { kmsKeyId:'],
  ])('%o is refused: texts would go elsewhere, or be kept under another key', (options, words) => {
    const given = typeof options === 'object' && !('Bucket' in options) ? { bucket: 'bucket', ...options } : options
    const make = () => s3Storage(given as never)
    expect(make).toThrow(InvalidConfigurationError)
    expect(make).toThrow(words)
    expect(make).not.toThrow('AKIAX9')
  })
})
