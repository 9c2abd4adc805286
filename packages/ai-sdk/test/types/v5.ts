// Compiled with `ai` standing for version 5: what a user of that version writes.
import * as sdk from 'ai'
import { compactionDataSchema, compactionTools, createCompaction, modelSummarizer, withCompaction } from '../../src/index.ts'

const compaction = createCompaction({ limits: { contextWindow: 200_000 } })
const model = {} as sdk.LanguageModel & object
const own = { read: sdk.tool({ inputSchema: sdk.jsonSchema<{ path: string }>({}), execute: async ({ path }) => path }) }
sdk.generateText({ model, prompt: 'x', prepareStep: compaction.prepareStep() })
sdk.streamText({ model, tools: own, prompt: 'x', prepareStep: compaction.prepareStep({ tools: own }), stopWhen: sdk.stepCountIs(3) })
new sdk.Experimental_Agent({ model, tools: own, prepareStep: compaction.prepareStep({ writer: {} as sdk.UIMessageStreamWriter }) })
sdk.wrapLanguageModel({ model: {} as Parameters<typeof sdk.wrapLanguageModel>[0]['model'], middleware: compaction.middleware() })
sdk.validateUIMessages({ messages: [], dataSchemas: { compaction: compactionDataSchema } })
export const cached: typeof own = compaction.cacheToolOutputs(own)
export const all = { ...own, ...compactionTools(compaction.session('s')) } satisfies sdk.ToolSet
modelSummarizer({ model: {} as Parameters<typeof sdk.wrapLanguageModel>[0]['model'] & object })
sdk.generateText({
  model,
  prompt: 'x',
  prepareStep: compaction.prepareStep({ prepareStep: ({ stepNumber, steps }) => (stepNumber + steps.length > 2 ? { toolChoice: 'none' } : undefined) }),
})
export const typed: sdk.PrepareStepFunction<typeof own> = () => undefined
sdk.generateText({ model, tools: own, prompt: 'x', prepareStep: compaction.prepareStep({ prepareStep: typed }) })
// @ts-expect-error not called
sdk.generateText({ model, prompt: 'x', prepareStep: compaction.prepareStep })
sdk.generateText({ model: withCompaction({} as sdk.LanguageModel), prompt: 'x' })
sdk.generateText({ model: withCompaction('openai/gpt-5.2'), prompt: 'x' })
