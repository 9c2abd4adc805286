import {
  createArchive,
  createCompactor,
  type Message,
  neutralCodec,
} from '@precis/core'
import { s3Storage } from '@precis/storage-s3'
import { generateHistory } from '@precis/testkit'

const { PRECIS_BUCKET: bucket } = process.env
if (bucket === undefined)
  console.log('Set PRECIS_BUCKET (and credentials) to run this against S3.')
else {
  const storage = s3Storage({ bucket, prefix: 'agents', encryption: 's3' })
  const compactor = createCompactor({
    codec: neutralCodec,
    limits: { contextWindow: 16_000, maxOutput: 1_000 },
    storage,
    archive: createArchive<Message>(storage),
  })
  const { report } = await compactor
    .session('one')
    .beforeModelCall(generateHistory(1, { turns: 40 }))
  console.log(
    `${report.outcome}; state and transcript in s3://${bucket}/agents`,
  )
}
