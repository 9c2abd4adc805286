import { createHash } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface FakeS3 {
  readonly endpoint: string
  /** Everything that is kept, old versions and marks of deletions among it. */
  kept(): readonly string[]
  readonly requests: readonly { readonly method: string; readonly path: string; readonly headers: IncomingMessage['headers'] }[]
  close(): void
}

/** How the bucket and the network are. */
export interface FakeS3Options {
  /** Answers to writes that are lost after the write, one after another from the first on. */
  readonly lost?: number
  /** Versions are kept of what is overwritten or deleted; `denied`: and nobody may delete them. */
  readonly versioning?: 'enabled' | 'denied'
  /** A proxy in between that answers reads in its own way. @returns whether it did. */
  readonly proxy?: (response: ServerResponse, found: { readonly body: Buffer; readonly etag: string } | undefined) => boolean
}

/** As much of S3 as the driver uses, strict about conditions and pages: path-style, one thousand keys a page, ETags of contents. */
export async function fakeS3({ lost = 0, versioning, proxy }: FakeS3Options = {}): Promise<FakeS3> {
  const objects = new Map<string, { readonly body: Buffer; readonly etag: string }>()
  /** Newest first; without a body: a mark of a deletion. */
  const versions = new Map<string, { readonly id: string; readonly body?: Buffer }[]>()
  let written = 0
  const keep = (key: string, body?: Buffer): string => {
    const id = `v${++written}`
    if (versioning !== undefined) versions.set(key, [{ id, ...(body !== undefined && { body }) }, ...(versions.get(key) ?? [])])
    return id
  }
  const requests: { method: string; path: string; headers: IncomingMessage['headers'] }[] = []
  const server = createServer(async (request, response) => {
    const url = new URL(request.url ?? '/', 'http://localhost')
    const [, bucket = '', ...rest] = url.pathname.split('/')
    const key = `${bucket}/${rest.map(decodeURIComponent).join('/')}`
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const body = Buffer.concat(chunks)
    requests.push({ method: request.method ?? '', path: url.pathname, headers: request.headers })
    const fail = (status: number, code: string): void => {
      response
        .writeHead(status, { 'content-type': 'application/xml' })
        .end(`<?xml version="1.0"?><Error><Code>${code}</Code><Message>${code}</Message></Error>`)
    }
    const found = objects.get(key)
    if (request.method === 'GET' && proxy?.(response, found) === true) return
    if (bucket !== 'bucket') return fail(404, 'NoSuchBucket')
    if (request.method === 'PUT') {
      if (request.headers['if-none-match'] === '*' && found !== undefined) return fail(412, 'PreconditionFailed')
      const wanted = request.headers['if-match']
      if (wanted !== undefined && found === undefined) return fail(404, 'NoSuchKey')
      if (wanted !== undefined && wanted !== found?.etag) return fail(412, 'PreconditionFailed')
      const etag = `"${createHash('md5').update(body).digest('hex')}"`
      objects.set(key, { body, etag })
      keep(key, body)
      if (lost-- > 0) request.socket.destroy()
      else response.writeHead(200, { etag }).end()
    } else if (request.method === 'DELETE') {
      const id = url.searchParams.get('versionId')
      if (id !== null) {
        if (versioning === 'denied') return fail(403, 'AccessDenied')
        versions.set(
          key,
          (versions.get(key) ?? []).filter((version) => version.id !== id),
        )
        return response.writeHead(204).end()
      }
      objects.delete(key)
      response.writeHead(204, versioning === undefined ? {} : { 'x-amz-delete-marker': 'true', 'x-amz-version-id': keep(key) }).end()
    } else if (url.searchParams.has('versions')) {
      const named = [...versions].filter(([name]) => name.startsWith(`bucket/${url.searchParams.get('prefix')}`)).sort(([a], [b]) => (a < b ? -1 : 1))
      const all = named.flatMap(([name, list]) => list.map((version, at) => ({ name: name.slice('bucket/'.length), ...version, isLatest: at === 0 })))
      const from = all.findIndex(({ name, id }) => name === url.searchParams.get('key-marker') && id === url.searchParams.get('version-id-marker')) + 1
      // Few to a page, so that there are several.
      const page = all.slice(from, from + 2)
      const last = page.at(-1)
      const entries = page.map(({ name, id, body, isLatest }) => {
        const kind = body === undefined ? 'DeleteMarker' : 'Version'
        return `<${kind}><Key>${name}</Key><VersionId>${id}</VersionId><IsLatest>${isLatest}</IsLatest></${kind}>`
      })
      const next = `<NextKeyMarker>${last?.name}</NextKeyMarker><NextVersionIdMarker>${last?.id}</NextVersionIdMarker>`
      const more = from + 2 < all.length
      response
        .writeHead(200, { 'content-type': 'application/xml' })
        .end(`<?xml version="1.0"?><ListVersionsResult><IsTruncated>${more}</IsTruncated>${more ? next : ''}${entries.join('')}</ListVersionsResult>`)
    } else if (url.searchParams.get('list-type') === '2') {
      const prefix = url.searchParams.get('prefix') ?? ''
      const after = url.searchParams.get('continuation-token') ?? ''
      const keys = [...objects.keys()].map((name) => name.slice('bucket/'.length)).filter((name) => name.startsWith(prefix) && name > after)
      const page = keys.sort().slice(0, 1_000)
      const more = keys.length > page.length
      const contents = page.map((name) => `<Contents><Key>${name}</Key></Contents>`).join('')
      const next = more ? `<NextContinuationToken>${page.at(-1)}</NextContinuationToken>` : ''
      response
        .writeHead(200, { 'content-type': 'application/xml' })
        .end(`<?xml version="1.0"?><ListBucketResult><IsTruncated>${more}</IsTruncated>${next}${contents}</ListBucketResult>`)
    } else if (found === undefined) fail(404, 'NoSuchKey')
    else response.writeHead(200, { etag: found.etag, 'content-type': 'text/plain; charset=utf-8' }).end(found.body)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  server.unref()
  const kept = (): readonly string[] => [...versions].flatMap(([key, list]) => list.map(({ id }) => `${key} ${id}`))
  return { endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests, kept, close: () => server.close() }
}
