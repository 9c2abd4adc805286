import { spawnSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { liveModel } from '../live/models.ts'
import { isOutage, type LiveResult, runLive } from '../live/run.ts'
import { htmlOf, markdownOf, rowsOf } from '../live/table.ts'
import { liveTask } from '../live/tasks.ts'
import { type WayName, wayOf, ways } from '../live/ways.ts'

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
