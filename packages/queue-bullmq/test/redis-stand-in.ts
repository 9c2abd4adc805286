import { type AddressInfo, createServer, type Socket } from 'node:net'

/** A server that answers as much as BullMQ needs to believe in a Redis without jobs, and that can go away. */
export interface StandIn {
  readonly port: number
  /** From now on nobody listens, and whoever was connected is not any more. */
  goAway(): Promise<void>
}

/** The name of each command, of the protocol's `*2\r\n$3\r\nget\r\n$1\r\nk\r\n`: a long script comes in several parts, of which the first has it. */
const nameOfCommand = /^\*\d+\r\n\$\d+\r\n(\w+)\r\n/gm
const answers: Readonly<Record<string, string>> = {
  // Scripts: there is no job.
  eval: '*4\r\n$-1\r\n:0\r\n:0\r\n:0\r\n',
  evalsha: '*4\r\n$-1\r\n:0\r\n:0\r\n:0\r\n',
  // Waits for one.
  bzpopmin: '',
}
const refusal = '-WRONGPASS invalid username-password pair or user is disabled.\r\n'

/** @param refuses - Whatever password it is given. */
export async function redisStandIn({ refuses = false, version = '7.4.0' } = {}): Promise<StandIn> {
  const sockets = new Set<Socket>()
  const facts = `redis_version:${version}\r\nmaxmemory_policy:noeviction\r\n`
  const info = `$${facts.length}\r\n${facts}\r\n`
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    socket.on('data', (data) => {
      for (const [, name = ''] of data.toString('latin1').matchAll(nameOfCommand)) {
        socket.write(refuses ? refusal : /^info$/i.test(name) ? info : (answers[name.toLowerCase()] ?? '+OK\r\n'))
      }
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    port: (server.address() as AddressInfo).port,
    async goAway() {
      const closed = new Promise((resolve) => server.close(resolve))
      for (const socket of sockets) socket.destroy()
      await closed
    },
  }
}
