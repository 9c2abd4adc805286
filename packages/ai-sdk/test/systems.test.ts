import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { createArchive, createToolOutputStore, memoryStorage, type PresetName, presets } from '@precis/core'
import { recallModel, strictProvider } from '@precis/testkit'
import { generateText, isStepCount, type ModelMessage } from 'ai'
import { afterEach, describe, expect, it } from 'vitest'
import { compactionTools, createCompaction, modelSummarizer } from '../src/index.ts'
import { firstRequest, type Setup, scenario, setUp, tools } from './scenario.ts'

const window = 12_000
const limits = { contextWindow: window, maxOutput: 500 }
const stopWhen = isStepCount(100)
let open: Setup | undefined

afterEach(async () => {
  await open?.provider.close()
  open = undefined
})

describe.each(Object.keys(presets) as PresetName[])('an agent under the preset %s', (name) => {
  it('finishes, every request valid and inside the window', async () => {
    open = await setUp('anthropic', { window })
    const compaction = createCompaction({ limits, policy: presets[name] })
    const run = await generateText({
      model: open.model,
      tools,
      prompt: firstRequest,
      prepareStep: compaction.prepareStep({ tools, maxOutputTokens: 500 }),
      stopWhen,
      maxOutputTokens: 500,
      maxRetries: 0,
    })
    expect(run.text).toBe(scenario.final)
    expect(open.provider.requests.flatMap((request) => request.violations)).toEqual([])
    expect(open.provider.requests.filter((request) => request.status !== 200)).toEqual([])
  })
})

describe('our tools in the SDK’s hands', () => {
  it('the model asks for a compaction, and looks up what left the context', async () => {
    const said: string[] = []
    const calls = [
      { tool: 'read_file', input: { path: 'src/module-2.ts' } },
      { tool: 'compact_context', input: { focus: 'the checksum' } },
      { tool: 'read_file', input: { path: 'src/module-5.ts' } },
      { tool: 'recall_history', input: { query: 'ledger checksum' } },
    ]
    const provider = await strictProvider({
      window,
      model: (prompt) => {
        said.push(prompt.at(-1)?.text ?? '')
        const done = Math.max(-1, ...prompt.flatMap((entry) => entry.callIds.map((id) => Number(id.replace('step_', '')))))
        const next = calls[done + 1]
        return next === undefined
          ? { text: 'done', calls: [] }
          : { text: '', calls: [{ id: `step_${done + 1}`, tool: next.tool, input: JSON.stringify(next.input) }] }
      },
    })
    const model = createOpenAICompatible({ name: 'strict', baseURL: provider.url, apiKey: 'none', includeUsage: true })('strict')
    open = { provider, model }
    const reasons: string[] = []
    const compaction = createCompaction({
      limits,
      archive: createArchive<ModelMessage>(memoryStorage()),
      onReport: (report) => reasons.push(report.plan.decision.reason),
    })
    const all = { ...tools, ...compactionTools(compaction.session('one')) }
    const run = await generateText({
      model,
      tools: all,
      messages: [
        { role: 'user', content: 'Start.' },
        { role: 'assistant', content: 'Ready.' },
        { role: 'user', content: 'Go on.' },
      ],
      prepareStep: compaction.prepareStep({ session: 'one', tools: all }),
      stopWhen,
      maxRetries: 0,
    })
    expect(run.text).toBe('done')
    expect(reasons).toContain('agent')
    expect(said.join('\n')).toContain('The conversation will be summarized before the next step.')
    expect(run.steps.flatMap((step) => step.toolResults.map((result) => String(result.output))).at(-1)).toContain('E4711: ledger checksum mismatch')
    expect(provider.requests.flatMap((request) => request.violations)).toEqual([])
  })

  it('outputs live in the store; the context shows views that name them', async () => {
    open = await setUp('openai', { window })
    const outputs = createToolOutputStore(memoryStorage())
    const compaction = createCompaction({
      limits,
      outputs,
      policy: { ...presets.outputCache, prune: { ...presets.outputCache.prune, view: { ...presets.outputCache.prune.view, tokens: 400 } } },
    })
    const all = { ...tools, ...compactionTools(compaction.session('one')) }
    const run = await generateText({
      model: open.model,
      tools: all,
      prompt: firstRequest,
      prepareStep: compaction.prepareStep({ session: 'one', tools: all }),
      stopWhen,
      maxRetries: 0,
    })
    expect(run.text).toBe(scenario.final)
    const shown =
      open.provider.requests
        .at(-1)
        ?.prompt.map((entry) => entry.text)
        .join('\n') ?? ''
    const id = /ref=(out-[0-9a-f]{16})/.exec(shown)?.[1] ?? ''
    expect(await all['tool_output_cache']?.execute?.({ ref_id: id, limit: 3 }, { toolCallId: 'x', messages: [] } as never)).toContain('// src/module-')
    expect(open.provider.requests.filter((request) => request.status !== 200)).toEqual([])
  })
})

describe('a summary that rides on the last request', () => {
  it('begins with the same bytes, so that the provider reads its cache', async () => {
    const summary =
      '## Session Intent\nread\n## Current Task\nreading\n## Files Modified\n(none)\n## Files Read\nsrc\n## Key Decisions\n(none)\n## Failed Approaches\n(none)\n## Errors Encountered\nE4711\n## Next Steps\nread on'
    const agent = recallModel(scenario)
    const provider = await strictProvider({
      window,
      model: (prompt) => (prompt.at(-1)?.text.includes('Write the memory now') === true ? { text: summary, calls: [] } : agent(prompt)),
    })
    const model = createOpenAICompatible({ name: 'strict', baseURL: provider.url, apiKey: 'none', includeUsage: true })('strict')
    open = { provider, model }
    const compaction = createCompaction({
      limits,
      summarizer: modelSummarizer({ model, ride: { generateText, tools } }),
      policy: { summary: { request: 'prefix', grounding: 'off' }, prune: { ladder: [] } },
    })
    const run = await generateText({ model, tools, prompt: firstRequest, prepareStep: compaction.prepareStep({ tools }), stopWhen, maxRetries: 0 })
    expect(run.text).toBe(scenario.final)
    const summaries = provider.requests.filter((request) => request.prompt.at(-1)?.text.includes('Write the memory now') === true)
    expect(summaries.length).toBeGreaterThan(1)
    for (const request of summaries) {
      expect(request.status).toBe(200)
      expect(request.cachedTokens / request.inputTokens).toBeGreaterThan(0.6)
    }
  })
})
