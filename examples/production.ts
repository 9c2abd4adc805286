import { readFile } from 'node:fs/promises'
import { openai } from '@ai-sdk/openai'
import { createCompaction, modelSummarizer } from '@precis/ai-sdk'
import {
  createArchive,
  createToolOutputStore,
  encryptedStorage,
} from '@precis/core'
import { otlpExporter } from '@precis/exporter-otlp'
import { s3Storage } from '@precis/storage-s3'
import { generateText, type ModelMessage, stepCountIs, tool } from 'ai'
import { z } from 'zod'

const {
  SUMMARIES_BUCKET: bucket,
  SUMMARIES_KEY: key = '',
  OTLP_ENDPOINT: endpoint = '',
} = process.env
const model = openai('gpt-5.2')
const read_file = tool({
  description: 'Reads a file.',
  inputSchema: z.object({ path: z.string() }),
  execute: ({ path }) => readFile(path, 'utf8'),
})

/** Everything that a service wires once: shared state in S3, encrypted; transcripts and whole outputs beside it; events over OTLP; a model for summaries. */
function wired(name: string) {
  const storage = encryptedStorage(
    s3Storage({ bucket: name, prefix: 'precis' }),
    { key: () => ({ id: 'k1', key: Buffer.from(key, 'base64') }) },
  )
  return createCompaction({
    storage,
    archive: createArchive<ModelMessage>(storage),
    outputs: createToolOutputStore(storage),
    exporters: [otlpExporter({ endpoint })],
    summarizer: modelSummarizer({ model }), // a smaller one than the agent's is enough
  })
}

if (bucket === undefined)
  console.log(
    'Set SUMMARIES_BUCKET, SUMMARIES_KEY (32 bytes in base64), OTLP_ENDPOINT and credentials to run this.',
  )
else {
  const compaction = wired(bucket)
  const tools = { read_file }
  const { text } = await generateText({
    model,
    tools,
    prompt: 'Audit what we install.',
    stopWhen: stepCountIs(200),
    prepareStep: compaction.prepareStep({ session: 'ticket-205', tools }),
  })
  await compaction.compactor.shutdown() // what waits for an exporter is sent
  console.log(
    `${text} ${compaction.session('ticket-205').state().checkpoints.length} compactions in s3://${bucket}/precis`,
  )
}
