import { generateText, streamText, ToolLoopAgent, wrapLanguageModel } from 'ai'
import { MockLanguageModelV4 } from 'ai/test'
import { test } from 'vitest'
import { createCompaction } from '../src/index.ts'
import { tools } from './scenario.ts'

test('fits every place where the SDK takes a prepareStep or a middleware, with typed tools and without', () => {
  const compaction = createCompaction({ limits: { contextWindow: 200_000 } })
  const model = new MockLanguageModelV4()
  generateText({ model, prompt: 'x', prepareStep: compaction.prepareStep() })
  streamText({ model, tools, prompt: 'x', prepareStep: compaction.prepareStep({ tools }) })
  new ToolLoopAgent({ model, tools, prepareStep: compaction.prepareStep({ tools }) })
  wrapLanguageModel({ model, middleware: compaction.middleware() })
})
