import { mkdtemp, readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { AIMessage, HumanMessage, ToolMessage } from '@langchain/core/messages'
import { createCompaction } from '@precis/ai-sdk'
import {
  type BackgroundQueue,
  type CompactionReport,
  createArchive,
  createToolOutputStore,
  type Embedder,
  memoryStorage,
  openTelemetryTrace,
  type StorageDriver,
} from '@precis/core'
import { otlpExporter } from '@precis/exporter-otlp'
import { createCompactor } from '@precis/langchain'
import { compactionFilter } from '@precis/openai-agents'
import { fakeExporter, fakeSummarizer } from '@precis/testkit'
import { describe, expect, it } from 'vitest'
import { createProgram } from '../../src/program.ts'

// The table "What leaves the process" of SECURITY.md, row by row: the same secrets planted in the same conversation, through real adapters.
// Secrets are put together here, so that this file sets off nobody's alarm.
const token = `gh${'p'}_${'a1B2'.repeat(9)}`
const keyLines = Array.from({ length: 40 }, (_, line) => `${line % 10}${'MIIEowIBAAKCAQEA7bq9Z+kX/2vQ'.repeat(3).slice(0, 63)}`)
const privateKey = [`-----BEGIN RSA ${'PRIVATE'} KEY-----`, ...keyLines, `-----END RSA ${'PRIVATE'} KEY-----`].join('\n')
const password = 'correcthorse'
const url = 's3cr/et@part'
const [mail, phone] = ['kim.lee@ledger.dev', '+49 30 901820']

const filler = (words: number): string => Array.from({ length: words }, (_, at) => `line ${at} of the build says nothing new`).join('\n')
const request = `Deploy for ${mail}, ${phone}. The token is ${token}, and you must never print it.`
const args = (step: number): Readonly<Record<string, unknown>> => ({
  step,
  command: `echo "a\n${token}" && psql postgres://app:${url}@db.internal/app`,
  login: { user: 'app', password: { value: password } },
  env: [{ name: 'DB_PASSWORD', value: password }],
})
const output = (step: number): string => `${filler(28)}\n${privateKey}\n{"out":"x\\n${token}"}\n${filler(step === 3 ? 300 : 20)}`
const steps = Array.from({ length: 12 }, (_, step) => step)

function leaks(text: string, secrets: readonly string[] = [token, password, url, ...keyLines.map((line) => line.slice(4, 40))]): readonly string[] {
  return secrets.filter((secret) => text.includes(secret) || text.includes(JSON.stringify(secret).slice(1, -1)))
}

async function everything(storage: StorageDriver): Promise<string> {
  let text = ''
  for await (const key of storage.list('')) text += `${key}\n${(await storage.get(key))?.body}\n`
  return text
}

/** Every way out, watched. */
function doors() {
  const embedded: string[] = []
  const spans: unknown[] = []
  const jobs: unknown[] = []
  const reports: CompactionReport[] = []
  const [storage, archived, stored] = [memoryStorage(), memoryStorage(), memoryStorage()]
  const remote: StorageDriver = { ...archived, remote: true }
  const summarizer = fakeSummarizer()
  const exporter = fakeExporter()
  const embedder: Embedder = {
    name: 'remote',
    embed: async (texts) => {
      embedded.push(...texts)
      return texts.map((_, at) => [at, 1])
    },
  }
  const queue: BackgroundQueue = { name: 'jobs', enqueue: async (job) => void jobs.push(job) }
  const span = { setAttributes: (given: unknown) => spans.push(given), setStatus: (given: unknown) => spans.push(given), end: () => {} }
  const options = {
    limits: { contextWindow: 12_000, maxOutput: 1_000 },
    policy: {
      trigger: { background: true },
      summary: { author: 'model' as const },
      retain: { turns: 1, toolPairs: 0, tokens: { tokens: 200 }, semantic: { clusters: 2, tokens: { tokens: 1_000 } } },
    },
    summarizer,
    embedder,
    storage,
    archive: createArchive<never>(remote),
    outputs: createToolOutputStore(stored),
    exporters: [exporter],
    queue,
    trace: openTelemetryTrace({
      startActiveSpan: (name, { attributes }, work) => {
        spans.push(name, attributes)
        return work(span)
      },
    }),
    onReport: (report: CompactionReport) => void reports.push(report),
  }
  return { options, rows: { embedded, spans, jobs, reports, storage, archived, stored, summarizer, exporter } }
}

const adapters: Readonly<Record<string, (options: ReturnType<typeof doors>['options'], session: string) => Promise<unknown>>> = {
  '@precis/ai-sdk': async (options, session) => {
    const compaction = createCompaction(options)
    const messages = [
      { role: 'user' as const, content: request },
      ...steps.flatMap((step) => [
        { role: 'assistant' as const, content: [{ type: 'tool-call' as const, toolCallId: `c${step}`, toolName: 'bash', input: args(step) }] },
        {
          role: 'tool' as const,
          content: [{ type: 'tool-result' as const, toolCallId: `c${step}`, toolName: 'bash', output: { type: 'text' as const, value: output(step) } }],
        },
      ]),
      { role: 'assistant' as const, content: 'Deployed.' },
      { role: 'user' as const, content: 'And now the tests.' },
    ]
    await compaction.prepareStep({ session })({ messages, steps: [] })
    const found = compaction.session(session)
    await found.compact(messages, { focus: `what ${token} is for` })
    await found.schedule({ focus: `what ${token} is for` })
    await found.handoff(messages, { focus: `the password: ${password}` })
    await compaction.compactor.flush()
  },
  '@precis/langchain': async (options, session) => {
    const messages = [
      new HumanMessage(request),
      ...steps.flatMap((step) => [
        new AIMessage({ content: '', tool_calls: [{ id: `c${step}`, name: 'bash', args: args(step), type: 'tool_call' }] }),
        new ToolMessage({ tool_call_id: `c${step}`, name: 'bash', content: output(step) }),
      ]),
      new AIMessage('Deployed.'),
      new HumanMessage('And now the tests.'),
    ]
    await createCompactor(options).invoke(messages, { configurable: { thread_id: session } })
  },
  '@precis/openai-agents': async (options, session) => {
    const input = [
      { type: 'message', role: 'user', content: request },
      ...steps.flatMap((step) => [
        { type: 'function_call', callId: `c${step}`, name: 'bash', arguments: JSON.stringify(args(step)), status: 'completed' },
        { type: 'function_call_result', callId: `c${step}`, name: 'bash', status: 'completed', output: { type: 'text', text: output(step) } },
      ]),
      { type: 'message', role: 'assistant', status: 'completed', content: [{ type: 'output_text', text: 'Deployed.' }] },
      { type: 'message', role: 'user', content: 'And now the tests.' },
    ]
    await compactionFilter({ ...options, session })({ modelData: { input } })
  },
}

describe.each(Object.entries(adapters))('nothing leaves %s', (_, run) => {
  it('by any row of the table', async () => {
    const { options, rows } = doors()
    await run(options, `ticket of ${mail}`)
    expect(rows.summarizer.requests.length).toBeGreaterThan(0)
    const left = {
      'the request for a summary': JSON.stringify(rows.summarizer.requests),
      'the state': await everything(rows.storage),
      'the archive': await everything(rows.archived),
      'the store of outputs': await everything(rows.stored),
      'the embedder': rows.embedded.join('\n'),
      events: JSON.stringify(rows.exporter.events),
      spans: JSON.stringify(rows.spans),
      jobs: JSON.stringify(rows.jobs),
      reports: JSON.stringify(rows.reports),
    }
    for (const row of ['the request for a summary', 'the state', 'the archive', 'the embedder', 'events', 'spans', 'reports'] as const) {
      expect(left[row].length, row).toBeGreaterThan(100)
    }
    expect(Object.entries(left).flatMap(([row, text]) => leaks(text).map((secret) => `${row}: ${secret}`))).toEqual([])
    // Personal data: not in what is exported; the bodies of a remote archive are, its keys are the session's id.
    const bodies = left['the archive'].split('\n').filter((line) => !line.startsWith('sessions/')).join('\n') // biome-ignore format: one line
    for (const text of [left.events, left.spans, bodies.replace(/"key":"[^"]*"/g, '')]) expect(leaks(text, [mail, phone])).toEqual([])
  }, 120_000)
})

async function transcript(): Promise<{ readonly folder: string; readonly file: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'precis-ways-'))
  const lines = [
    { role: 'user', parts: [{ type: 'text', text: request }] },
    ...steps.flatMap((step) => [
      { role: 'assistant', parts: [{ type: 'tool-call', callId: `c${step}`, tool: 'bash', input: JSON.stringify(args(step)) }] },
      { role: 'tool', parts: [{ type: 'tool-result', callId: `c${step}`, tool: 'bash', output: output(step) }] },
    ]),
    { role: 'assistant', parts: [{ type: 'text', text: 'Deployed.' }] },
  ]
  const file = join(folder, 'session.jsonl')
  await writeFile(file, lines.map((line) => JSON.stringify(line)).join('\n'))
  return { folder, file }
}

describe('nothing leaves', () => {
  it('by OTLP', async () => {
    const received: string[] = []
    const server = createServer((message, reply) => {
      let body = ''
      message.on('data', (piece) => {
        body += String(piece)
      })
      message.on('end', () => {
        received.push(body)
        reply.end('{}')
      })
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    const { options } = doors()
    const exporter = otlpExporter({ endpoint: `http://127.0.0.1:${port}` })
    await adapters['@precis/ai-sdk']?.({ ...options, exporters: [exporter] } as never, `ticket of ${mail}`)
    await exporter.flush?.()
    server.close()
    expect(received.join('').length).toBeGreaterThan(100)
    expect(leaks(received.join('\n'))).toEqual([])
    expect(leaks(received.join('\n'), [mail])).toEqual([])
  }, 120_000)
  it('by the report of compactctl; --personal-data keep keeps what people need', async () => {
    const { folder, file } = await transcript()
    const page = async (...flags: readonly string[]): Promise<string> => {
      const out = join(folder, `${flags.length}.html`)
      await createProgram().parseAsync(['node', 'compactctl', 'report', file, '--window', '8000', '--out', out, ...flags])
      return readFile(out, 'utf8')
    }
    const shown = await page()
    expect(leaks(shown)).toEqual([])
    expect(leaks(shown, [mail, phone])).toEqual([])
    expect(leaks(await page('--personal-data', 'keep'))).toEqual([])
  }, 120_000)
  it('by what compactctl compact writes in the place of what left; what is kept is shown as it was', async () => {
    const { folder, file } = await transcript()
    const out = join(folder, 'shorter.jsonl')
    await createProgram().parseAsync(['node', 'compactctl', 'compact', file, '--window', '8000', '--out', out])
    const written = (await readFile(out, 'utf8')).split('\n').filter((line) => line !== '')
    const originals = new Set((await readFile(file, 'utf8')).split('\n'))
    const made = written.filter((line) => !originals.has(line))
    expect(made.join('\n')).toContain('<context-summary')
    expect(leaks(made.join('\n'))).toEqual([])
  }, 120_000)
})

describe("a summary's request that rides on the prompt", () => {
  it('sends this model what it was sent before, and nothing raw besides', async () => {
    const { options, rows } = doors()
    const policy = { ...options.policy, summary: { ...options.policy.summary, request: 'prefix' as const } }
    const summarizer = { ...rows.summarizer, ridesPrefix: true }
    await adapters['@precis/ai-sdk']?.({ ...options, policy, summarizer } as never, 'a session')
    const riding = rows.summarizer.requests.filter((one) => one.prefix !== undefined)
    expect(riding.length).toBeGreaterThan(0)
    expect(leaks(JSON.stringify(riding.map((one) => one.prefix)))).toContain(token)
    expect(leaks(JSON.stringify(rows.summarizer.requests.map(({ prefix: _sent, ...rest }) => rest)))).toEqual([])
  }, 120_000)
})
