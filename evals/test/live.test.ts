import { spawn, spawnSync } from 'node:child_process'
import { appendFileSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { liveModel } from '../live/models.ts'
import { isOutage, type LiveResult, runLive } from '../live/run.ts'
import { htmlOf, markdownOf, rowsOf } from '../live/table.ts'
import { liveTask } from '../live/tasks.ts'
import { type WayName, wayOf, ways } from '../live/ways.ts'

afterEach(() => {
  vi.unstubAllEnvs()
  vi.unstubAllGlobals()
})

const limits = { contextWindow: 12_000, maxOutput: 1_500 }
const task = liveTask(3, 48_000)

async function go(name: WayName): Promise<LiveResult | undefined> {
  const { model, close } = await liveModel('strict', { ...limits, window: limits.contextWindow }).open(task)
  const way = wayOf(name, model, limits)
  const result = way && (await runLive(task, name, way, limits.maxOutput))
  await close()
  return result
}

describe('long tasks with a real model', () => {
  it('a task is the same each time, asks what stands once and early, and is as long as it was ordered', () => {
    expect(liveTask(3, 48_000)).toEqual(task)
    expect(liveTask(4, 48_000).questions).not.toEqual(task.questions)
    const texts = [...task.files.values()]
    for (const { answer } of [...task.questions.slice(1), { answer: task.vault.code }]) {
      const found = texts.flatMap((text, at) => (new RegExp(`\\b${answer}\\b`).test(text) ? [at] : []))
      expect(found.length, answer).toBe(1)
      expect(found[0]).toBeLessThan(6)
    }
    const characters = texts.reduce((sum, text) => sum + text.length, 0)
    expect(characters / 3).toBeGreaterThan(40_000)
    expect(characters / 3).toBeLessThan(90_000)
  })

  it('against the strict provider: with Précis it is finished and answered, with nothing it dies, cut it forgets', async () => {
    expect(await go('Précis')).toMatchObject({ finished: true, read: 24, right: 4 })
    expect(await go('nothing')).toMatchObject({ finished: false, error: expect.stringContaining('maximum context length') })
    const cut = await go('head and tail')
    expect(cut).toMatchObject({ finished: false, read: 24 })
    expect(cut?.right).toBeLessThan(4)
    expect(await go('the provider')).toBeUndefined() // it has none
  })

  it('an outage is no doing of the way that it hits; a request that is too long is', () => {
    const answer = (statusCode: number, message: string): Error => Object.assign(new Error(message), { statusCode })
    for (const one of [answer(401, 'You exceeded your quota'), answer(429, 'Slow down'), answer(503, 'Overloaded'), new TypeError('fetch failed')]) {
      expect(isOutage(one), one.message).toBe(true)
      expect(isOutage(Object.assign(new Error('Failed after 3 attempts'), { lastError: one })), one.message).toBe(true)
    }
    expect(isOutage(answer(400, 'This model has a maximum context length of 8192 tokens'))).toBe(false)
    expect(isOutage(answer(400, 'Bad tool'))).toBe(false)
    expect(isOutage(answer(400, 'Your credit balance is too low to access the API.'))).toBe(true)
    expect(isOutage(answer(404, 'The model does not exist'))).toBe(true)
  })

  it('an outage in the middle of a task keeps what is there; a later run asks about what is open, and goes on', { timeout: 60_000 }, async () => {
    // A server that reads two files of each task, and answers so many requests.
    let left = 20
    const server = createServer(async (request, response) => {
      const body = JSON.parse(await new Response(request as never).text()) as { messages: { role: string }[] }
      const tools = body.messages.filter(({ role }) => role === 'tool').length
      const call = { id: 'c', type: 'function', function: { name: 'list_files', arguments: '{}' } }
      const message = tools < 3 ? { role: 'assistant', content: null, tool_calls: [{ ...call, id: `c${tools}` }] } : { role: 'assistant', content: 'Read.' }
      const usage = { prompt_tokens: 10, completion_tokens: 1, total_tokens: 11 }
      const fine = {
        id: 'x',
        object: 'chat.completion',
        created: 1,
        model: 'm',
        choices: [{ index: 0, message, finish_reason: tools < 3 ? 'tool_calls' : 'stop' }],
        usage,
      }
      response.writeHead(left > 0 ? 200 : 401, { 'content-type': 'application/json' })
      response.end(JSON.stringify(left-- > 0 ? fine : { error: { message: 'Your key was revoked.' } }))
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    const files = ['jsonl', 'json', 'html'].map((kind) => new URL(`../results/live/server-outage-7779.${kind}`, import.meta.url))
    const [lines = new URL('.', import.meta.url)] = files
    const remove = (): void => {
      for (const file of files) rmSync(file, { force: true })
    }
    const live = async (...more: readonly string[]): Promise<{ readonly said: string; readonly code: unknown }> => {
      const words = ['live', '--model=server:outage', `--base-url=http://127.0.0.1:${port}/v1`, '--window=7779', '--tasks=2', ...more]
      const child = spawn(process.execPath, ['--conditions=@precis/source', 'evals/main.ts', ...words], { stdio: ['ignore', 'pipe', 'pipe'] })
      let said = ''
      for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => (said += String(data)))
      return { code: await new Promise((resolve) => child.once('close', resolve)), said }
    }
    const kept = (): string[] => readFileSync(lines, 'utf8').trim().split('\n')
    remove()
    try {
      const first = await live('--ways=nothing,head and tail', '--yes')
      expect(first.code).toBe(1)
      expect(first.said).toContain('Your key was revoked.')
      expect(first.said).toContain('run the same command again')
      expect(first.said).toContain('| nothing | 1 |')
      expect(first.said).toContain('As a page:')
      expect(kept()).toHaveLength(2)
      expect(kept().join()).not.toContain('revoked')
      // Nobody answers the question.
      const asked = await live('--ways=nothing,head and tail,the provider')
      expect(asked.code).toBe(0)
      expect(asked.said).toContain('server:outage, 2 runs: about')
      expect(asked.said).toContain('up to 13 times that')
      expect(asked.said).toContain('Nothing was asked.')
      // It was killed while it wrote.
      appendFileSync(lines, '{"task":1,"way":"noth')
      left = 1_000
      const second = await live('--ways=nothing,head and tail', '--yes')
      expect(second.said).toContain(`${lines.pathname}: line 3 was cut off`)
      expect(second.code).toBe(0)
      expect(kept().map((line) => JSON.parse(line).task)).toEqual([0, 0, 1, 1])
    } finally {
      remove()
      server.close()
    }
  })

  it.each(['openai', 'anthropic'])('%s at another address is asked there', async (provider) => {
    vi.stubEnv('OPENAI_API_KEY', 'none').stubEnv('ANTHROPIC_API_KEY', 'none')
    const asked: string[] = []
    vi.stubGlobal('fetch', async (address: string) => {
      asked.push(address)
      throw new Error('enough')
    })
    const { model } = await liveModel(`${provider}:m`, { baseURL: 'http://127.0.0.1:9/v1', window: 8_000, maxOutput: 1_000 }).open(task)
    await expect(Promise.resolve(model.doGenerate({ prompt: [{ role: 'user', content: [{ type: 'text', text: 'Hi.' }] }] }))).rejects.toThrow('enough')
    expect(asked[0]).toMatch(/^http:\/\/127\.0\.0\.1:9\/v1\//)
  })

  it('providers with a compaction of their own are asked for it', () => {
    const named = (provider: string) => ({ provider, modelId: 'm', specificationVersion: 'v4' }) as Parameters<typeof wayOf>[1]
    expect(wayOf('the provider', named('openai.responses'), limits)?.providerOptions).toEqual({
      openai: { contextManagement: [{ type: 'compaction', compactThreshold: 9_600 }] },
    })
    expect(JSON.stringify(wayOf('the provider', named('anthropic.messages'), limits)?.providerOptions)).toContain('compact_20260112')
  })

  it('results become a table and a page: one row for each way, money where prices are known', () => {
    const one = (way: WayName): LiveResult => ({
      ...{ task: 0, way, finished: true, read: 24, right: 3, questions: 4 },
      ...{ steps: 31, input: 1_000_000, cached: 500_000, output: 10_000, seconds: 90 },
    })
    const rows = rowsOf(ways.map(one), { input: 2, cacheRead: 0.2, output: 10 })
    expect(rows.map(([way]) => way)).toEqual(ways)
    expect(rows[0]).toEqual(['Précis', '1', '1 of 1', '3 of 4', '31', '1,000,000', '50 %', '10,000', '$1.20', '1.5', '0'])
    expect(markdownOf('a model', rows).split('\n')).toHaveLength(4 + ways.length)
    expect(htmlOf('<b>', rows)).toContain('&lt;b>')
  })

  it.each([
    [['live'], '--model is missing'],
    [['live', '--model', 'acme:x'], 'write strict, openai:<model>'],
    [['live', '--model', 'openai:gpt-5.2'], 'OPENAI_API_KEY is not set'],
    [['live', '--model', 'server:x'], '--base-url'],
    [['live', '--model', 'server:x', '--base-url=http://127.0.0.1:9/v1', '--yes', '--tasks=1', '--window=7777'], 'server:x does not answer'],
    [['live', '--model', 'strict', '--tasks', '0'], '--tasks=0: expected a whole number above 0'],
  ] as const)('%j is refused in words, before anything is spent', (words, message) => {
    const { OPENAI_API_KEY: _gone, ...env } = process.env
    const { stderr, status } = spawnSync(process.execPath, ['--conditions=@precis/source', 'evals/main.ts', ...words], { env, encoding: 'utf8' })
    expect(stderr).toContain(message)
    expect(stderr).not.toContain('    at ')
    expect(status).toBe(1)
  })
})
