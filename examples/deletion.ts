import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  createArchive,
  createCompactor,
  createToolOutputStore,
  neutralCodec,
} from '@precis/core'
import { fsStorage } from '@precis/storage-fs'
import { generateHistory } from '@precis/testkit'

const storage = fsStorage({ root: await mkdtemp(join(tmpdir(), 'precis-')) })
const compactor = createCompactor({
  codec: neutralCodec,
  limits: { contextWindow: 16_000, maxOutput: 1_000 },
  storage,
  archive: createArchive(storage),
  outputs: createToolOutputStore(storage),
  retention: { days: 90 },
})
await compactor
  .session('ticket-205')
  .beforeModelCall(generateHistory(1, { turns: 40 }))

// One conversation, whenever somebody asks for it.
const { keys, outputs } = await compactor.forget('ticket-205')
console.log(`${keys.length} keys and ${outputs.length} outputs deleted`)

// Everything that nobody used for 90 days, every night.
let from: string | undefined
do {
  const { conversations, next } = await compactor.gc({
    from,
    limit: 1_000,
    deadline: 60_000,
  })
  console.log(`${conversations.length} conversations removed`)
  from = next
} while (from !== undefined)
