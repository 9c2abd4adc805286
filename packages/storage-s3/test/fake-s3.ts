import { createHash } from 'node:crypto'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface FakeS3 {
  readonly endpoint: string
  readonly requests: readonly { readonly method: string; readonly path: string; readonly headers: IncomingMessage['headers'] }[]
  close(): void
}

/** As much of S3 as the driver uses, strict about conditions and pages: path-style, one thousand keys a page, ETags of contents. */
export async function fakeS3(): Promise<FakeS3> {
  const objects = new Map<string, { readonly body: Buffer; readonly etag: string }>()
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
    if (bucket !== 'bucket') return fail(404, 'NoSuchBucket')
    if (request.method === 'PUT') {
      if (request.headers['if-none-match'] === '*' && found !== undefined) return fail(412, 'PreconditionFailed')
      const wanted = request.headers['if-match']
      if (wanted !== undefined && found === undefined) return fail(404, 'NoSuchKey')
      if (wanted !== undefined && wanted !== found?.etag) return fail(412, 'PreconditionFailed')
      const etag = `"${createHash('md5').update(body).digest('hex')}"`
      objects.set(key, { body, etag })
      response.writeHead(200, { etag }).end()
    } else if (request.method === 'DELETE') {
      objects.delete(key)
      response.writeHead(204).end()
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
  return { endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests, close: () => server.close() }
}
