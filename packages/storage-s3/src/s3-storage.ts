import {
  DeleteObjectCommand,
  GetObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  type PutObjectCommandInput,
  S3Client,
  type S3ClientConfig,
} from '@aws-sdk/client-s3'
import { Upload } from '@aws-sdk/lib-storage'
import { ConflictError, checkKey, InvalidConfigurationError, type StorageDriver } from '@precis/core'
import { aText, checkGiven, type ValueRules, type Words } from '@precis/core/adapters'
import { deleteVersions } from './delete-versions.ts'

/** The bucket, and how it is reached. */
export interface S3StorageOptions {
  readonly bucket: string
  /** In front of every key; a slash is put between. Default none. */
  readonly prefix?: string
  /** Default: what the environment says. Not beside a client that has one. */
  readonly region?: string
  /** Your own client, with its credentials, retries and timeouts; or the configuration of one: `{ endpoint, forcePathStyle: true, credentials }`. */
  readonly client?: S3Client | S3ClientConfig
  /** Bytes from which on a text is sent in parts, four at a time, each tried again on its own. Default 16,000,000; not below 5 MiB, which is S3's least part. */
  readonly multipartFrom?: number
  /** Encryption at rest: by S3's own keys, or by a key of KMS. Default: what the bucket does. */
  readonly encryption?: 's3' | { readonly kmsKeyId: string }
}

const leastPart = 5_242_880

const rules: ValueRules<S3StorageOptions> = {
  bucket: { ...aText("expected the name of a bucket: s3Storage({ bucket: 'my-agents' })"), needed: true },
  prefix: { is: (value) => typeof value === 'string', expected: 'expected a text that stands in front of every key' },
  region: aText('expected the name of a region, such as "eu-central-1"'),
  client: { is: isObject, expected: 'write new S3Client({ region, credentials }), or { endpoint, forcePathStyle: true, credentials }', secret: true },
  multipartFrom: { is: (value) => typeof value === 'number' && value >= leastPart, expected: `expected at least ${leastPart} bytes` },
  encryption: {
    is: (value) =>
      value === 's3' || (isObject(value) && Object.keys(value).join() === 'kmsKeyId' && rules.bucket.is((value as { kmsKeyId: unknown }).kmsKeyId)),
    expected: `write "s3" or { kmsKeyId: 'arn:aws:kms:…' }`,
  },
}
/** What belongs to the client, and would be passed over. */
const words: Words = {
  endpoint: 'client: { endpoint, forcePathStyle: true, credentials }',
  forcePathStyle: 'client: { endpoint, forcePathStyle: true, credentials }',
  credentials: 'client: { credentials }',
  maxAttempts: 'client: { maxAttempts }',
  requestHandler: 'client: { requestHandler }',
  kmsKeyId: 'encryption: { kmsKeyId }',
}

/**
 * Each key is an object; versions are ETags. Conditions are S3's own `If-None-Match` and `If-Match`: of several writers exactly one wins, wherever they
 * run. A server that ignores these headers cannot promise that; Amazon S3 and versitygw honor them. On a bucket that keeps versions, `delete` deletes all of a
 * key's versions, and rejects where it may not.
 *
 * @throws InvalidConfigurationError for options that cannot be meant. From its methods: ConflictError where a condition does not hold; through core, StorageError with the service's error as its cause.
 */
export function s3Storage(options: S3StorageOptions): StorageDriver {
  checkGiven('s3Storage', options, rules, words)
  const { bucket, encryption, multipartFrom = 16_000_000, region, client: given } = options
  if (region !== undefined && (isClient(given) || given?.region !== undefined))
    throw new InvalidConfigurationError(
      'region',
      region,
      'write it into the client alone: new S3Client({ region })',
      'region is passed over beside a client of its own',
    )
  const prefix = options.prefix === undefined || options.prefix === '' ? '' : `${options.prefix.replace(/\/+$/, '')}/`
  const client = isClient(given) ? given : new S3Client({ ...(region !== undefined && { region }), ...given })
  const at = (key: string): { readonly Bucket: string; readonly Key: string } => {
    checkKey(key)
    return { Bucket: bucket, Key: `${prefix}${key}` }
  }
  const protectedBy: Partial<PutObjectCommandInput> =
    encryption === undefined
      ? {}
      : encryption === 's3'
        ? { ServerSideEncryption: 'AES256' }
        : { ServerSideEncryption: 'aws:kms', SSEKMSKeyId: encryption.kmsKeyId }
  /** A bucket that is missing is a mistake in the options, not an empty storage. An answer that is none of S3's has no words of its own. */
  const explained = (error: unknown): unknown => {
    if (isWithoutBucket(error)) return new Error(`there is no bucket ${JSON.stringify(bucket)}; create it, or correct \`bucket\``, { cause: error })
    const status = statusOf(error)
    if (status === 501)
      return new Error(
        'the server does not know what was asked, such as conditional writes (If-Match, If-None-Match), which several writers need; take one that does',
        {
          cause: error,
        },
      )
    if (status === 301) return new Error(`the bucket ${JSON.stringify(bucket)} is in another region; correct \`region\``, { cause: error })
    const isNamed = !isForeign(error) && !(error as Error).name.startsWith('Unknown')
    return status === undefined || isNamed ? error : new Error(`the server answered with status ${status}, and not as S3 does`, { cause: error })
  }
  const request = (signal: AbortSignal | undefined): { abortSignal?: AbortSignal } => (signal === undefined ? {} : { abortSignal: signal })

  /** The condition holds for the whole: it is judged when the parts are put together. What was sent before a failure is removed again. */
  const inParts = async (object: PutObjectCommandInput, signal: AbortSignal | undefined): Promise<{ readonly ETag?: string | undefined }> => {
    signal?.throwIfAborted()
    const upload = new Upload({ client, params: object, queueSize: 4, partSize: Math.max(leastPart, 8_388_608) })
    const stop = (): void => void upload.abort().catch(() => {})
    signal?.addEventListener('abort', stop, { once: true })
    try {
      return await upload.done()
    } finally {
      signal?.removeEventListener('abort', stop)
    }
  }

  const get: StorageDriver['get'] = async (key, { signal } = {}) => {
    try {
      const { Body, ETag } = await client.send(new GetObjectCommand(at(key)), request(signal))
      // The client heeds the signal until the body begins.
      const stop = (): void => void (Body as { destroy?(reason: unknown): void } | undefined)?.destroy?.(signal?.reason)
      signal?.addEventListener('abort', stop, { once: true })
      try {
        return { body: (await Body?.transformToString('utf-8')) ?? '', version: versionOf(ETag) }
      } finally {
        signal?.removeEventListener('abort', stop)
      }
    } catch (error) {
      if (statusOf(error) === 404 && !isWithoutBucket(error) && !isForeign(error)) return undefined
      throw explained(error)
    }
  }

  return {
    name: 's3',
    remote: true,
    get,
    async put(key, body, { ifVersion, signal } = {}) {
      const condition = ifVersion === undefined ? {} : ifVersion === null ? { IfNoneMatch: '*' } : { IfMatch: ifVersion }
      const bytes = new TextEncoder().encode(body)
      const object: PutObjectCommandInput = { ...at(key), Body: bytes, ContentType: 'text/plain; charset=utf-8', ...protectedBy, ...condition }
      try {
        const { ETag } = await (bytes.byteLength < multipartFrom ? client.send(new PutObjectCommand(object), request(signal)) : inParts(object, signal))
        return { version: versionOf(ETag) }
      } catch (error) {
        const status = statusOf(error)
        // 412: another version is there. 409: another conditional write is under way. 404: `If-Match` on what does not exist.
        const isConflict = status === 412 || status === 409 || (status === 404 && !isWithoutBucket(error))
        // Where the first answer was lost, the client asks again, and what it meets may be its own text.
        const found = isConflict && attemptsOf(error) > 1 ? await get(key, signal === undefined ? {} : { signal }) : undefined
        if (found?.body === body) return { version: found.version }
        if (ifVersion !== undefined && isConflict) throw new ConflictError(key)
        throw explained(error)
      }
    },
    async delete(key) {
      const { DeleteMarker, VersionId } = await client.send(new DeleteObjectCommand(at(key))).catch((error: unknown) => {
        throw explained(error)
      })
      if (DeleteMarker === true) await deleteVersions(client, at(key), VersionId)
    },
    async *list(start) {
      let token: string | undefined
      do {
        const command = new ListObjectsV2Command({ Bucket: bucket, Prefix: `${prefix}${start}`, ...(token !== undefined && { ContinuationToken: token }) })
        const page = await client.send(command).catch((error: unknown) => {
          throw explained(error)
        })
        for (const { Key } of page.Contents ?? []) if (Key !== undefined) yield Key.slice(prefix.length)
        token = page.IsTruncated === true ? page.NextContinuationToken : undefined
      } while (token !== undefined)
    },
  }
}

/** One of another copy of the package, too. */
function isClient(client: S3StorageOptions['client']): client is S3Client {
  return typeof Object(client).send === 'function'
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}

/** @returns how often the client tried. */
function attemptsOf(error: unknown): number {
  return (error as { readonly $metadata?: { readonly attempts?: number } }).$metadata?.attempts ?? 1
}

/**
 * A proxy that compresses what it passes on marks an ETag as weak; S3 itself knows it without the mark.
 * @throws an error for an answer that has none: it is a page of whatever stands in between, and nothing was stored.
 */
function versionOf(etag = ''): string {
  if (etag === '') throw new Error('the server answered without an ETag, and not as S3 does: does a proxy or a sign-in page stand in between?')
  return etag.replace(/^W\//, '')
}

function statusOf(error: unknown): number | undefined {
  return (error as { readonly $metadata?: { readonly httpStatusCode?: number } }).$metadata?.httpStatusCode
}

/** Buckets and objects that are missing have the same status. */
function isWithoutBucket(error: unknown): boolean {
  return (error as Error).name === 'NoSuchBucket'
}

/** An answer that the client could not read: a page of a proxy, say. */
function isForeign(error: unknown): boolean {
  return /XML parse|deserializ/i.test((error as Error).message)
}
