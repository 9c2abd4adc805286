// What a user's first ten lines do, package by package, with the packed tarballs and nothing else of this repository.
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { HumanMessage } from '@langchain/core/messages'
import { createCompaction } from '@precis/ai-sdk'
import { loadConfig } from '@precis/config'
import { createArchive, createCompactor, createToolOutputStore, neutralCodec } from '@precis/core'
import { consoleExporter } from '@precis/exporter-console'
import { otlpExporter } from '@precis/exporter-otlp'
import { createCompactor as langchainCompactor } from '@precis/langchain'
import { knownLimits } from '@precis/models'
import { compactionFilter } from '@precis/openai-agents'
import { bullmqQueue } from '@precis/queue-bullmq'
import { createRedactor } from '@precis/redaction'
import { fsStorage } from '@precis/storage-fs'
import { s3Storage } from '@precis/storage-s3'
import { unstorageStorage } from '@precis/storage-unstorage'
import { storageDriverCases } from '@precis/testkit'
import { gptTokenizerEstimator } from '@precis/tokenizers'
import { wires } from '@precis/wire'
import memoryDriver from 'unstorage/drivers/memory'

const limits = { contextWindow: 6_000, maxOutput: 500 }
const words = (at) => `message ${at} ${'with many words '.repeat(60)}`
const expect = (what, held) => {
  if (!held) throw new Error(`${what}: not as expected`)
  console.log(`  ${what}`)
}

const storage = fsStorage({ root: mkdtempSync(join(tmpdir(), 'precis-smoke-')) })
const neutral = Array.from({ length: 60 }, (_, at) => ({ role: at % 2 === 0 ? 'user' : 'assistant', parts: [{ type: 'text', text: words(at) }] }))
const lines = []
const stream = { write: (line) => lines.push(line) }
const options = {
  codec: neutralCodec,
  limits,
  storage,
  archive: createArchive(storage),
  outputs: createToolOutputStore(storage),
  exporters: [consoleExporter({ stream }), otlpExporter()],
}
expect('redaction: a password behind its name', !createRedactor()('DB_PASSWORD=correcthorse\n').includes('correcthorse'))
const compactor = createCompactor({ ...options, estimator: await gptTokenizerEstimator() })
const { report } = await compactor.session('s').beforeModelCall(neutral)
await compactor.shutdown()
expect('core, storage-fs, exporters, tokenizers', report.outcome === 'summarized' && lines.length > 3)

const known = await createCompactor({ codec: neutralCodec, limits: knownLimits }).session('s').beforeModelCall(neutral, { model: 'gpt-4o' })
expect('models', knownLimits('gpt-4o')?.contextWindow === 128_000 && known.report.tokens.after > 0)

const sdk = Array.from({ length: 60 }, (_, at) => ({ role: at % 2 === 0 ? 'user' : 'assistant', content: words(at) }))
const step = await createCompaction({ limits }).prepareStep()({ messages: [...sdk, { role: 'user', content: 'now?' }], steps: [] })
expect('ai-sdk', step.messages.length < 60)

const shown = await langchainCompactor({ limits }).invoke([...Array.from({ length: 60 }, (_, at) => new HumanMessage(words(at)))])
expect('langchain', shown.length < 60)

const items = Array.from({ length: 60 }, (_, at) => ({
  type: 'message',
  role: at % 2 === 0 ? 'user' : 'assistant',
  content: [{ type: at % 2 === 0 ? 'input_text' : 'output_text', text: words(at) }],
}))
const { input } = await compactionFilter({ limits })({ modelData: { input: [...items, { type: 'message', role: 'user', content: 'now?' }] } })
expect('openai-agents', input.length < 60)

const { request } = wires['openai-chat'].readRequest({ model: 'm', messages: [...sdk, { role: 'user', content: 'now?' }] })
const read = await createCompactor({ codec: wires['openai-chat'].codec, limits }).session('w').beforeModelCall(request.messages)
const body = wires['openai-chat'].writeRequest(request, read)
expect('wire', body.model === 'm' && body.messages.length < 60 && body.messages.at(-1) === request.body.messages.at(-1))

const config = await loadConfig({ env: { PRECIS_PRESET: 'layered', PRECIS_STORAGE: 'fs', PRECIS_STORAGE_PATH: tmpdir() } })
expect('config', config.policy.retain.toolPairs > 0 && config.storage.name === 'fs')

const other = unstorageStorage(memoryDriver())
await other.put('a/b', 'x', { ifVersion: null })
expect('storage-unstorage, storage-s3', (await other.get('a/b')).body === 'x' && s3Storage({ bucket: 'b', region: 'eu-central-1' }).name === 's3')
expect('queue-bullmq, testkit', typeof bullmqQueue === 'function' && storageDriverCases.length > 5)
