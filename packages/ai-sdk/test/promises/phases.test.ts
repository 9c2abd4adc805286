import { createOpenAI } from '@ai-sdk/openai'
import { withCompaction } from '@precis/ai-sdk'
import type { CompactionReport } from '@precis/core'
import { type StrictProvider, strictProvider } from '@precis/testkit'
import { generateText, isStepCount, type ModelMessage, tool } from 'ai'
import { afterEach, expect, it } from 'vitest'
import { z } from 'zod'

// An agent that works in phases: `prepareStep` gives each step tools of its own, and the last one none.

const window = 12_000
let provider: StrictProvider | undefined
afterEach(async () => {
  await provider?.close()
  provider = undefined
})

const page = (seed: number): string =>
  Array.from({ length: 26 }, (_, at) => `file${seed} line ${at}: value_${seed}_${at} = compute(${seed * 31 + at}) and so on.`).join('\n')

it('what a request is taken for is what the provider counts, whatever tools its step has', async () => {
  let calls = 0
  const strict = await strictProvider({
    window,
    model: (_prompt, { tools: [first] }) =>
      first === undefined
        ? { text: 'Both are read.', calls: [] }
        : { text: 'I read.', calls: [{ id: `call_${calls}`, tool: first, input: `{"n":${calls++}}` }] },
  })
  provider = strict
  const reports: { readonly report: CompactionReport; readonly request: number }[] = []
  const model = withCompaction(createOpenAI({ baseURL: strict.url, apiKey: 'none' })('strict'), {
    limits: { contextWindow: window, maxOutput: 256 },
    onReport: (report) => void reports.push({ report, request: strict.requests.length }),
  })
  const read = tool({ description: 'Reads a file of the project.', inputSchema: z.object({ n: z.number() }), execute: async ({ n }) => page(n) })
  const messages: ModelMessage[] = []
  for (let turn = 0; turn < 24; turn++) {
    messages.push({ role: 'user', content: `Task ${turn}: read two files, and say what they have in common.` })
    const { responseMessages } = await generateText({
      model,
      tools: { search: read, analyze: read },
      messages,
      maxOutputTokens: 256,
      maxRetries: 0,
      stopWhen: isStepCount(5),
      prepareStep: ({ stepNumber }) =>
        stepNumber < 2 ? { activeTools: [stepNumber === 0 ? 'search' : 'analyze'], toolChoice: 'required' } : { activeTools: [], toolChoice: 'none' },
    })
    messages.push(...responseMessages)
  }
  expect(strict.requests.filter(({ status }) => status !== 200)).toEqual([])
  const summarized = reports.filter(({ report }) => report.outcome === 'summarized')
  expect(summarized.length).toBeGreaterThan(2)
  const off = summarized.map(({ report, request }) => report.tokens.after / (strict.requests[request]?.inputTokens ?? 0))
  for (const times of off) expect(times).toBeLessThan(1.1)
})
