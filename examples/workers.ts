import {
  type Compactor,
  createCompactor,
  type Message,
  neutralCodec,
  type StorageDriver,
} from '@precis/core'
import { bullmqQueue, bullmqWorker } from '@precis/queue-bullmq'

declare const storage: StorageDriver // shared by all: S3, Redis, a database
declare const loadHistory: (
  session: string,
) => Promise<readonly Message[] | undefined> // from wherever you keep conversations
const options = {
  codec: neutralCodec,
  limits: { contextWindow: 128_000, maxOutput: 8_000 },
  policy: { trigger: { background: true } },
}
const { REDIS_URL: url = '' } = process.env

/** In the processes that serve sessions. */
export const serving = (): Compactor<Message> =>
  createCompactor({
    ...options,
    storage,
    queue: bullmqQueue({ connection: { url } }),
  })

/** In the worker processes. */
export const working = () =>
  bullmqWorker({
    connection: { url },
    compactor: createCompactor({ ...options, storage }),
    history: loadHistory,
  })
