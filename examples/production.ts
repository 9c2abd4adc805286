import { createCompaction, modelSummarizer } from '@precis/ai-sdk'
import {
  createArchive,
  createToolOutputStore,
  encryptedStorage,
} from '@precis/core'
import { otlpExporter } from '@precis/exporter-otlp'
import { s3Storage } from '@precis/storage-s3'
import { generateText, type ModelMessage, stepCountIs } from 'ai'
import { limits, model, prompt, tools } from './support/agent.ts' // yours

const {
  SUMMARIES_BUCKET: bucket,
  SUMMARIES_KEY: key = '',
  OTLP_ENDPOINT: endpoint = '',
} = process.env

/** Everything that a service wires once: shared state in S3, encrypted; transcripts and whole outputs beside it; events over OTLP; a model for summaries. */
function wired(name: string) {
  const storage = encryptedStorage(
    s3Storage({ bucket: name, prefix: 'precis' }),
    { key: () => ({ id: 'k1', key: Buffer.from(key, 'base64') }) },
  )
  return createCompaction({
    limits,
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
  const prepareStep = compaction.prepareStep({ session: 'ticket-205', tools })
  const { text } = await generateText({
    model,
    tools,
    prompt,
    stopWhen: stepCountIs(200),
    prepareStep,
  })
  await compaction.compactor.shutdown() // what waits for an exporter is sent
  console.log(
    `${text} ${compaction.session('ticket-205').state().checkpoints.length} compactions in s3://${bucket}/precis`,
  )
}
