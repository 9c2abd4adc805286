import { mkdtemp } from 'node:fs/promises'
import {
  createArchive,
  createCompactor,
  createToolOutputStore,
  type Message,
  neutralCodec,
} from '@precis/core'
import { consoleExporter } from '@precis/exporter-console'
import { fsStorage } from '@precis/storage-fs'
import { generateHistory } from '@precis/testkit'

const root =
  process.env['PRECIS_FOLDER'] ?? (await mkdtemp('/tmp/precis-example-'))
const storage = fsStorage({ root })
const archive = createArchive<Message>(storage) // transcripts, summaries and events, redacted before they are written
const session = createCompactor({
  codec: neutralCodec,
  limits: { contextWindow: 16_000, maxOutput: 1_000 },
  storage, // what a session remembers between processes
  archive,
  outputs: createToolOutputStore(storage), // whole outputs, for `tool_output_cache`
  exporters: [consoleExporter({ least: 'warning' }), archive.exporter()],
}).session('ticket-205')

const { report } = await session.beforeModelCall(
  generateHistory(1, { turns: 40 }),
)
const recall = session.tools().find((tool) => tool.name === 'recall_history')
console.log(
  `${report.outcome}; on record: ${(await archive.read('ticket-205')).messages.length} messages in ${root}`,
)
console.log(await recall?.execute({ query: 'src/cache', limit: 2 }))
