import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gunzipSync } from 'node:zlib'
import { afterEach } from 'vitest'

/** What an OTLP receiver gets: content type, path, headers, body. `statuses` are its first answers; the rest is 200. */
export async function receiver(statuses: readonly number[] = []) {
  const requests: { path: string; type: string; key: string | undefined; body: Buffer; at: number }[] = []
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const raw = Buffer.concat(chunks)
      const body = request.headers['content-encoding'] === 'gzip' ? gunzipSync(raw) : raw
      requests.push({
        path: request.url ?? '',
        type: request.headers['content-type'] ?? '',
        key: request.headers['x-key'] as string | undefined,
        body,
        at: Date.now(),
      })
      response.writeHead(statuses[requests.length - 1] ?? 200, { 'content-type': 'application/json' }).end('{}')
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  servers.push(server)
  return { requests, endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/traces` }
}
const servers: ReturnType<typeof createServer>[] = []
afterEach(() => {
  for (const server of servers.splice(0)) server.close()
})
