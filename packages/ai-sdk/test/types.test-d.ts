import { memoryStorage } from '@precis/core'
import {
  generateText,
  type LanguageModel,
  type PrepareStepFunction,
  streamText,
  ToolLoopAgent,
  type UIMessageStreamWriter,
  validateUIMessages,
  wrapLanguageModel,
} from 'ai'
import { MockLanguageModelV4 } from 'ai/test'
import { expectTypeOf, test } from 'vitest'
import { type Compaction, compactionDataSchema, compactionTools, createCompaction, modelSummarizer, type WrappableModel, withCompaction } from '../src/index.ts'
import { tools } from './scenario.ts'

const compaction = createCompaction({ limits: { contextWindow: 200_000 } })
const session = compaction.session('s')

test('AI SDK 7: fits every place that takes a prepareStep, a middleware, tools, a writer or a schema, with typed tools and without', () => {
  const model = {} as Exclude<Parameters<typeof wrapLanguageModel>[0]['model'], string>
  generateText({ model, prompt: 'x', prepareStep: compaction.prepareStep() })
  streamText({ model, tools, prompt: 'x', prepareStep: compaction.prepareStep({ tools }) })
  streamText({ model, tools: compaction.cacheToolOutputs({ ...tools, ...compactionTools(session) }), prompt: 'x' })
  const own: PrepareStepFunction<typeof tools> = () => undefined
  generateText({ model, tools, prompt: 'x', prepareStep: compaction.prepareStep({ prepareStep: own }) })
  generateText({
    model,
    prompt: 'x',
    prepareStep: compaction.prepareStep({ prepareStep: ({ stepNumber, steps }) => (stepNumber + steps.length > 2 ? { toolChoice: 'none' } : undefined) }),
  })
  // @ts-expect-error not called: it would compact nothing
  generateText({ model, prompt: 'x', prepareStep: compaction.prepareStep })
  new ToolLoopAgent({ model, tools, prepareStep: compaction.prepareStep({ tools, writer: {} as UIMessageStreamWriter }) })
  wrapLanguageModel({ model, middleware: compaction.middleware() })
  validateUIMessages({ messages: [], dataSchemas: { compaction: compactionDataSchema } })
  modelSummarizer({ model })
})

test('what is wrapped fits where the given one does: a model, the SDK’s own type of models, a name', () => {
  const given = {} as LanguageModel
  generateText({ model: withCompaction(given), prompt: 'x' })
  generateText({ model: withCompaction('openai/gpt-5.2'), prompt: 'x' })
  const mock = withCompaction(new MockLanguageModelV4())
  wrapLanguageModel({ model: mock, middleware: compaction.middleware() })
  // @ts-expect-error what the SDK does not call is not there
  mock.doGenerateCalls
})

test('an option that is there or undefined compiles, under exactOptionalPropertyTypes too', () => {
  const storage = Math.random() > 2 ? memoryStorage() : undefined
  const model = {} as WrappableModel
  createCompaction({ storage, archive: undefined, summarizer: undefined, redact: undefined, onReport: undefined })
  withCompaction(model, { storage, limits: undefined, policy: undefined, session: undefined, recall: undefined })
  compaction.middleware({ session: undefined })
  withCompaction(model, { limits: { contextWindow: 8_000, maxInput: undefined, maxOutput: undefined } })
  withCompaction(model, { policy: { summary: { directives: undefined }, trigger: { background: undefined }, retain: undefined } })
  void compaction.compactor.gc({ retention: undefined, limit: undefined, deadline: undefined, dryRun: undefined, texts: undefined })
  compaction.prepareStep({ session: undefined, writer: undefined, abortSignal: undefined, maxOutputTokens: undefined, prepareStep: undefined })
})

test('what we return is typed', () => {
  expectTypeOf(compaction).toEqualTypeOf<Compaction>()
  expectTypeOf(compaction.cacheToolOutputs).returns.not.toBeAny()
  expectTypeOf(compactionTools).returns.not.toBeAny()
  expectTypeOf(session.beforeModelCall).returns.resolves.not.toBeAny()
})
