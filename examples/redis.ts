import { createArchive, createCompactor, neutralCodec } from '@precis/core'
import { unstorageStorage } from '@precis/storage-unstorage'
import { generateHistory } from '@precis/testkit'
import memoryDriver from 'unstorage/drivers/memory'
import redisDriver from 'unstorage/drivers/redis'

const { REDIS_URL: url } = process.env // redis://127.0.0.1:6379; without one: this process's memory
const driver =
  url === undefined ? memoryDriver() : redisDriver({ url, base: 'precis' })
const storage = unstorageStorage(driver)
const compactor = createCompactor({
  codec: neutralCodec,
  limits: { contextWindow: 16_000, maxOutput: 1_000 },
  storage,
  archive: createArchive(storage),
})
const { report } = await compactor
  .session('one')
  .beforeModelCall(generateHistory(1, { turns: 40 }))
console.log(
  `${report.outcome}; of several writers one wins: ${storage.conditions === 'everywhere' ? 'everywhere' : 'in this process'}`,
)
await driver.dispose?.()
