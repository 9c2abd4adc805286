import { createCompaction, type WrappableModel, withCompaction } from '@precis/ai-sdk'
import { type CompactionReport, memoryStorage } from '@precis/core'
import { recallModel } from '@precis/testkit'
import { afterEach, describe, expect, it } from 'vitest'
import { majors, providers, sdkOf } from '../majors.ts'
import { namedQuestionOf, questionOf, vaultScenario, vaults, vaultText } from '../vaults.ts'

const { start, close } = providers()
afterEach(close)

const limits = { contextWindow: 12_000, maxOutput: 500 }
const history = [
  { role: 'user', content: 'Read the file of each vault.' },
  ...vaults.flatMap(({ path }, at) => [
    { role: 'assistant', content: [{ type: 'tool-call', toolCallId: `step_${at}`, toolName: 'read_file', input: { path } }] },
    { role: 'tool', content: [{ type: 'tool-result', toolCallId: `step_${at}`, toolName: 'read_file', output: { type: 'text', value: vaultText(path) } }] },
  ]),
  { role: 'assistant', content: 'All vaults are read.' },
]
const lost = [
  { role: 'assistant', content: [{ type: 'tool-call', toolCallId: 'lost', toolName: 'read_file', input: { path: 'a.ts' } }] },
  { role: 'user', content: 'Are you there?' },
  { role: 'assistant', content: 'I am.' },
]

const layers = ['prepareStep', 'prepareStep under a name', 'middleware'] as const

describe.each(majors)('a wrapped model with another layer beside it, %s', (name) => {
  it.each(layers)('%s: what left the context comes back, and is looked up, as without it', async (layer) => {
    const { generateText, wrapLanguageModel, modelAt, tools, stopWhen } = await sdkOf(name)
    const provider = await start({ window: 12_000, model: recallModel(vaultScenario, { looksUp: 'precis_recall' }) })
    const reports: CompactionReport[] = []
    const beside = createCompaction({ limits, storage: memoryStorage(), onReport: (report) => reports.push(report) })
    const wrapped = withCompaction(modelAt('openai', provider.url) as WrappableModel, { limits })
    const isMiddleware = layer === 'middleware'
    const model = isMiddleware ? wrapLanguageModel({ model: wrapped, middleware: beside.middleware() }) : wrapped
    const prepareStep = isMiddleware ? undefined : beside.prepareStep({ tools, ...(layer === layers[1] && { session: 'chat-1' }) })
    // The SDK refuses a call that nobody answered; version 5 leaves it to the provider.
    const stored = isMiddleware ? history : [...history, ...lost]
    for (const asking of [questionOf, namedQuestionOf])
      for (const vault of vaults.slice(0, 4)) {
        const messages = [...stored, { role: 'user', content: asking(vault) }]
        const { text } = await generateText({ model, messages, tools, stopWhen, maxRetries: 0, maxOutputTokens: 500, prepareStep })
        expect(text).toContain(vault.code)
      }
    expect(provider.requests.flatMap(({ violations }) => violations)).toEqual([])
    expect(provider.requests.filter(({ declared }) => declared.tools.includes('precis_recall')).length).toBeGreaterThan(4)
    expect(reports).toEqual([])
  })
  it('a step that goes to another model is compacted where it is prepared', async () => {
    const { generateText, modelAt, tools, stopWhen } = await sdkOf(name)
    const provider = await start({ window: 12_000, model: () => ({ text: 'Hello.', calls: [] }) })
    const reports: CompactionReport[] = []
    const bare = modelAt('openai', provider.url)
    const beside = createCompaction({ limits, onReport: (report) => reports.push(report) })
    await generateText({
      model: withCompaction(bare as WrappableModel, { limits }),
      messages: [...history, { role: 'user', content: 'Hello?' }],
      tools,
      stopWhen,
      maxRetries: 0,
      maxOutputTokens: 500,
      prepareStep: beside.prepareStep({ tools, prepareStep: () => ({ model: bare }) }),
    })
    expect(reports.map(({ outcome }) => outcome)).toEqual(['summarized'])
    expect(provider.requests.map(({ status }) => status)).toEqual([200])
  })
})
