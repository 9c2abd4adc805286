import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A server that listens on the loopback interface. */
export interface Loopback {
  /** Base address, as clients of every shape take it. */
  readonly url: string
  /** Ends it; what is under way is cut off. */
  close(): Promise<void>
}

/** Lets a server listen on a free port of the loopback interface. It keeps no program alive that has nothing else to do. */
export async function onLoopback(server: Server): Promise<Loopback> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  server.unref()
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      }),
  }
}
