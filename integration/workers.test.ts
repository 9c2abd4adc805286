// The Worker of docs/guides/servers.md in Cloudflare's own runtime, with a D1 database. Each turn is a request of its own.
import { mkdtempSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { strictProvider } from '@precis/testkit'
import { build } from 'esbuild'
import { expect, it } from 'vitest'
import { installMiniflare } from './install.ts'

interface Worker {
  dispatchFetch(url: string, init: { readonly method: string; readonly body: string }): Promise<Response>
  dispose(): Promise<void>
}
const { Miniflare } = (await import(installMiniflare().path)) as { Miniflare: new (options: object) => Worker }

const folder = mkdtempSync(join(tmpdir(), 'precis-workers-'))
const chapter = (at: number) => ({
  id: `${at}`,
  role: at % 2 === 0 ? 'user' : 'assistant',
  parts: [{ type: 'text', text: `Chapter ${at}: ${'the story goes on and nobody knows how it ends. '.repeat(300)}` }],
})

it('a chat is compacted, and goes on from what D1 keeps after the Worker is gone', async () => {
  const { outputFiles } = await build({
    entryPoints: [join(import.meta.dirname, '../examples/guides/worker.ts')],
    bundle: true,
    write: false,
    format: 'esm',
    conditions: ['workerd', 'worker', 'browser'],
    external: ['cloudflare:*', 'node:*'],
  })
  const sent: string[] = []
  const provider = await strictProvider({
    window: 400_000,
    model: (prompt) => {
      sent.push(prompt.map(({ text }) => text).join('\n'))
      return { text: 'And so on.', calls: [] }
    },
  })
  const start = (): Worker =>
    new Miniflare({
      modules: [{ type: 'ESModule', path: 'worker.js', contents: outputFiles[0]?.text }],
      host: '127.0.0.1',
      cf: false,
      compatibilityDate: '2026-07-01',
      compatibilityFlags: ['nodejs_compat'],
      bindings: { OPENAI_API_KEY: 'none', OPENAI_BASE_URL: provider.url },
      d1Databases: ['DB'],
      d1Persist: join(folder, 'd1'),
    })
  const chapters = Array.from({ length: 96 }, (_, at) => chapter(at))
  const send = async (worker: Worker, body: string): Promise<string> => {
    const reply = await worker.dispatchFetch('http://worker/', { method: 'POST', body })
    expect(await reply.text()).toContain('And so on.')
    return sent.at(-1) as string
  }
  const turn = (worker: Worker, messages: number): Promise<string> =>
    send(worker, JSON.stringify({ id: 'chat-42', messages: [...chapters.slice(0, messages), chapter(1_000)] }))
  const guide = readFileSync(join(import.meta.dirname, '../docs/guides/servers.md'), 'utf8')
  const first = start()
  expect(await send(first, /curl \S+ -d '(.*)'/.exec(guide)?.[1] ?? '')).toContain('Hello')
  const turns = [await turn(first, 92), await turn(first, 94)]
  await first.dispose()
  const second = start()
  turns.push(await turn(second, 96))
  await second.dispose()
  await provider.close()
  expect(provider.requests.map(({ status }) => status)).toEqual([200, 200, 200, 200])
  // The second and the third begin with what the first was summarized as.
  expect(Math.max(...provider.requests.map(({ inputTokens }) => inputTokens))).toBeLessThan(200_000)
  const headOf = (prompt = ''): string => prompt.slice(0, 20_000)
  expect(headOf(turns[0])).toContain('Chapter 0')
  expect(turns.map(headOf)).toEqual(turns.map(() => headOf(turns[0])))
})
