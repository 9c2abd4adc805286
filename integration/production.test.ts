import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { GetObjectCommand, ListObjectsV2Command, S3Client } from '@aws-sdk/client-s3'
import { strictProvider } from '@precis/testkit'
import { expect, inject, it } from 'vitest'

/** Reads a long file again and again; a request without tools is one for a summary, in which every section it names is filled. */
function provider(reads: number) {
  let read = 0
  return strictProvider({
    window: 400_000,
    model: (prompt, { tools }) => {
      const headings = [...new Set(prompt.flatMap(({ text }) => text.match(/^## .+$/gm) ?? []))]
      if (!tools.includes('read_file')) return { text: [...headings, ''].join('\nThe lock file was read.\n\n'), calls: [] }
      if (read === reads) return { text: 'Nothing is out of order.', calls: [] }
      return { text: '', calls: [{ id: `call_${++read}`, tool: 'read_file', input: JSON.stringify({ path: '../pnpm-lock.yaml' }) }] }
    },
  })
}

it('the production example: an agent with its state encrypted in S3 and its events in a collector', async () => {
  const [s3, collector] = [inject('s3'), inject('collector')]
  const example = join(import.meta.dirname, '../examples/production.ts')
  const openai = await provider(6)
  const { stdout } = await promisify(execFile)(process.execPath, ['--conditions=@precis/source', example], {
    cwd: import.meta.dirname,
    env: {
      ...process.env,
      OPENAI_BASE_URL: openai.url,
      OPENAI_API_KEY: 'none',
      SUMMARIES_BUCKET: 'precis',
      SUMMARIES_KEY: randomBytes(32).toString('base64'),
      OTLP_ENDPOINT: collector.endpoint,
      AWS_ENDPOINT_URL_S3: s3.endpoint,
      AWS_REGION: 'us-east-1',
      AWS_ACCESS_KEY_ID: s3.access,
      AWS_SECRET_ACCESS_KEY: s3.secret,
    },
  })
  await openai.close()
  expect(openai.requests.filter(({ status }) => status !== 200)).toEqual([])
  expect(stdout).toMatch(/Nothing is out of order\. [1-9]\d* compactions in s3:\/\/precis\/precis/)

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
    expect(text).not.toContain('Audit what we install')
  }
  const events = (): string => readFileSync(collector.file, 'utf8')
  for (let tries = 0; tries < 100 && !events().includes('ticket-205'); tries++) await new Promise((resolve) => setTimeout(resolve, 50))
  expect(events()).toContain('compact.checkpoint_committed')
  client.destroy()
})
