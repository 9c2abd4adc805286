import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { GetObjectCommand, ListObjectsV2Command, S3Client } from '@aws-sdk/client-s3'
import { expect, inject, it } from 'vitest'

it('the production example: an agent with its state encrypted in S3 and its events in a collector', async () => {
  const [s3, collector] = [inject('s3'), inject('collector')]
  const example = join(import.meta.dirname, '../examples/production.ts')
  const { stdout } = await promisify(execFile)(process.execPath, ['--conditions=@precis/source', example], {
    env: {
      ...process.env,
      SUMMARIES_BUCKET: 'precis',
      SUMMARIES_KEY: randomBytes(32).toString('base64'),
      OTLP_ENDPOINT: collector.endpoint,
      AWS_ENDPOINT_URL_S3: s3.endpoint,
      AWS_REGION: 'us-east-1',
      AWS_ACCESS_KEY_ID: s3.access,
      AWS_SECRET_ACCESS_KEY: s3.secret,
    },
  })
  expect(stdout).toMatch(/I know the repository now\. [1-9]\d* compactions in s3:\/\/precis\/precis/)

  const client = new S3Client({
    endpoint: s3.endpoint,
    region: 'us-east-1',
    forcePathStyle: true,
    credentials: { accessKeyId: s3.access, secretAccessKey: s3.secret },
  })
  const { Contents: objects = [] } = await client.send(new ListObjectsV2Command({ Bucket: 'precis', Prefix: 'precis/' }))
  const keys = objects.map(({ Key }) => Key ?? '')
  for (const part of ['state.json', '/transcript/', '/checkpoints/']) expect(keys.some((key) => key.includes(part))).toBe(true)
  for (const Key of keys) {
    const text = (await (await client.send(new GetObjectCommand({ Bucket: 'precis', Key }))).Body?.transformToString()) ?? ''
    expect(text).not.toContain('context-summary')
    expect(text).not.toContain('Get to know this repository')
  }
  const events = (): string => readFileSync(collector.file, 'utf8')
  for (let tries = 0; tries < 100 && !events().includes('ticket-205'); tries++) await new Promise((resolve) => setTimeout(resolve, 50))
  expect(events()).toContain('compact.checkpoint_committed')
  client.destroy()
})
