import { createServer } from 'node:http'
import { type Loopback, onLoopback } from './loopback.ts'

/** One answer of the server. Status default 200. */
export interface ScriptedReply {
  readonly status?: number
  readonly body: object
}

/** A server on the loopback that gives the answers it was told to, in order. */
export interface ScriptedServer extends Loopback {
  /** Bodies of the requests so far. */
  readonly requests: readonly Readonly<Record<string, unknown>>[]
}

/** A server on the loopback interface that answers with what it is given, in order; the last answer is given for good. For errors and usages that no model makes on demand. */
export async function scriptedServer(replies: readonly ScriptedReply[]): Promise<ScriptedServer> {
  const requests: Readonly<Record<string, unknown>>[] = []
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const reply = replies[Math.min(requests.length, replies.length - 1)]
    requests.push(JSON.parse(Buffer.concat(chunks).toString('utf8') || '{}') as Readonly<Record<string, unknown>>)
    response.writeHead(reply?.status ?? 200, { 'content-type': 'application/json' })
    response.end(JSON.stringify(reply?.body ?? {}))
  })
  return { ...(await onLoopback(server)), requests }
}
