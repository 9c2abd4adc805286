// Programs of READMEs that the walk of a release only compiles: they need Redis.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { strictProvider } from '@precis/testkit'
import { expect, inject, it } from 'vitest'

const folder = mkdtempSync(join(tmpdir(), 'precis-readmes-'))
/** A chat between the soft level, from which a worker is asked, and the hard one, at which nobody waits for it. */
const chapters = Array.from({ length: 66 }, (_, at) => ({
  role: at % 2 === 0 ? 'user' : 'assistant',
  content: `Chapter ${at}: ${'the story goes on and nobody knows how it ends. '.repeat(300)}`,
}))

it('storage-unstorage and queue-bullmq: what a worker wrote through Redis is what the next turn is shown', async () => {
  // A request for a summary names its sections: each is filled.
  const model: Parameters<typeof strictProvider>[0]['model'] = (prompt) => {
    const headings = new Set(prompt.flatMap(({ text }) => text.match(/^## .+$/gm) ?? []))
    return { text: headings.size === 0 ? 'Because it is.' : [...headings, ''].join('\nAll is said.\n\n'), calls: [] }
  }
  const provider = await strictProvider({ window: 400_000, model })
  const env = { ...process.env, REDIS_URL: inject('redis').url, OPENAI_BASE_URL: provider.url, OPENAI_API_KEY: 'none' }
  const start = (name: string, ...args: readonly string[]) =>
    spawn(process.execPath, ['--conditions=@precis/source', join(import.meta.dirname, '../examples', name), ...args], { cwd: folder, env, stdio: 'inherit' })
  const sent = (name: string) => provider.requests.filter(({ settings }) => settings['model'] === name).map(({ inputTokens }) => inputTokens)

  /** Tokens of one turn's request. */
  const turn = async (): Promise<number> => {
    expect(await once(start('workers.ts'), 'exit')).toEqual([0, null])
    return sent('gpt-5.2').at(-1) ?? 0
  }

  expect(await once(start('redis.ts'), 'exit')).toEqual([0, null])

  writeFileSync(join(folder, 'chat-42.json'), JSON.stringify(chapters))
  const worker = start('workers.ts', 'worker')
  try {
    const first = await turn()
    await expect.poll(() => sent('gpt-5-mini'), { timeout: 60_000 }).not.toEqual([])
    // The summary is stored soon after: the next turn that finds it is shown it. Its record fills what the policy aims at, three fifths of the window.
    await expect.poll(turn, { timeout: 60_000, interval: 1_000 }).toBeLessThan(first * 0.65)
  } finally {
    worker.kill()
    await provider.close()
  }
  expect(provider.requests.filter(({ status }) => status !== 200)).toEqual([])
})
