import { Agent, MemorySession, OpenAIProvider, setTracingDisabled } from '@openai/agents'
import type { CompactionReport } from '@precis/core'
import { memoryStorage } from '@precis/core'
import { compactionSession, modelSummarizer, withCompaction } from '@precis/openai-agents'
import { afterEach, describe, expect, it } from 'vitest'
import { clientOf, close, dialogue, ok, runnerOf, start } from './setup.ts'

afterEach(close)

describe('a summarizer of the SDK’s own models', () => {
  const models = { chat: false, responses: true } as const
  /** What it is asked to write, or the same cut off by the length that was asked for, or by a filter. */
  const written = async (wire: keyof typeof models, cut?: 'length' | 'content_filter') => {
    const provider = await start({
      window: 100_000,
      model: (prompt) => {
        const headings = [
          ...new Set(
            [
              ...prompt
                .map(({ text }) => text)
                .join('\n')
                .matchAll(/^## .*$/gm),
            ].map(([heading]) => heading),
          ),
        ]
        return { text: headings.map((heading) => `${heading}\n- the work goes on`).join('\n') || 'ok', calls: [] }
      },
    })
    const end = async (url: string, init: object): Promise<Response> => {
      const response = await fetch(url, init)
      const body = await response.text()
      const shown = body
        .replaceAll('"finish_reason":"stop"', `"finish_reason":"${cut}"`)
        .replaceAll('"status":"completed"', '"status":"incomplete"')
        .replaceAll('response.completed', 'response.incomplete')
      return new Response(cut === undefined ? body : shown, { status: response.status, headers: response.headers })
    }
    const model = await new OpenAIProvider({ openAIClient: clientOf(provider, { fetch: end }), useResponses: models[wire] }).getModel('strict')
    const reports: CompactionReport[] = []
    const options = { storage: memoryStorage(), limits: { contextWindow: 6_000, maxOutput: 500 }, summarizer: modelSummarizer({ model, window: 100_000 }) }
    return { provider, reports, options: { ...options, onReport: (report: CompactionReport) => void reports.push(report) } }
  }
  it.each(['chat', 'responses'] as const)('writes between runs, outside of a trace: %s', async (wire) => {
    const { provider, reports, options } = await written(wire)
    setTracingDisabled(false)
    const store = new MemorySession()
    await store.addItems(dialogue(20))
    const paid = await compactionSession(store, options).runCompaction({ force: true })
    expect(provider.requests.length).toBeGreaterThan(0)
    expect(reports.at(-1)).toMatchObject({ outcome: 'summarized', warnings: [] })
    expect(paid?.usage.inputTokens).toBeGreaterThan(1_000)
  })
  it.each([
    ['chat', false],
    ['chat', true],
    ['responses', false],
    ['responses', true],
  ] as const)('that was cut off is not adopted: %s, within a run: %s', async (wire, within) => {
    const { provider, reports, options } = await written(wire, 'length')
    if (within) {
      const plain = await start({ window: 100_000, model: ok })
      const models = withCompaction(new OpenAIProvider({ openAIClient: clientOf(plain) }), options)
      await runnerOf(models).run(new Agent({ name: 'a', model: 'strict' }), dialogue(20))
    } else {
      setTracingDisabled(false)
      const store = new MemorySession()
      await store.addItems(dialogue(20))
      await compactionSession(store, options).runCompaction({ force: true })
    }
    expect(provider.requests.length).toBeGreaterThan(0)
    expect(JSON.stringify(reports)).toContain('cut-off')
    expect(JSON.stringify(reports)).not.toContain('the work goes on')
  })
  it('that a filter ended is not adopted', async () => {
    const { provider, reports, options } = await written('chat', 'content_filter')
    const store = new MemorySession()
    await store.addItems(dialogue(20))
    await compactionSession(store, options).runCompaction({ force: true })
    expect(provider.requests.length).toBeGreaterThan(0)
    expect(reports.at(-1)?.outcome).toBe('degraded')
    expect(JSON.stringify(reports)).not.toContain('the work goes on')
  })
})
