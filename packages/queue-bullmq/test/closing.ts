// A process of its own, for what keeps one alive: opens a worker or a queue on a port, closes it when told to, and is not ended by anything else.
import { createCompactor, neutralCodec } from '@precis/core'
import { bullmqQueue, bullmqWorker } from '@precis/queue-bullmq'

const [kind, port, heard = 'heard'] = process.argv.slice(2)
const options = { connection: { host: '127.0.0.1', port: Number(port) }, timeout: 200, ...(heard === 'heard' && { onError: () => {} }) }
const queue = kind === 'queue' ? bullmqQueue(options) : undefined
const opened = queue ?? bullmqWorker({ ...options, compactor: createCompactor({ codec: neutralCodec }), history: async () => undefined })
process.on('message', async (message) => {
  if (message === 'ask') await queue?.enqueue({ session: 's', call: {} }).catch(() => {})
  if (message === 'close') await opened.close()
  process.send?.(message)
  if (message === 'close') process.disconnect()
})
process.send?.('open')
