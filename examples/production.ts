import { createCompaction, modelSummarizer } from '@precis/ai-sdk'
import { createArchive, createToolOutputStore, encryptedStorage } from '@precis/core'
import { otlpExporter } from '@precis/exporter-otlp'
import { s3Storage } from '@precis/storage-s3'
import type { LanguageModel, ModelMessage } from 'ai'

declare const summaryModel: Exclude<LanguageModel, string> // a smaller one than the agent's is enough

/** Everything that a service wires once: shared state in S3, encrypted; events over OTLP; a model for summaries. */
export const compaction = createCompaction({
  limits: { contextWindow: 200_000, maxOutput: 16_000 },
  ...wiring(),
  summarizer: modelSummarizer({ model: summaryModel }),
})

function wiring() {
  const { SUMMARIES_BUCKET: bucket = '', SUMMARIES_KEY: key = '' } = process.env
  const storage = encryptedStorage(s3Storage({ bucket, prefix: 'precis/' }), { key: () => ({ id: 'k1', key: Buffer.from(key, 'base64') }) })
  return { storage, archive: createArchive<ModelMessage>(storage), outputs: createToolOutputStore(storage), exporters: [otlpExporter()] }
}
