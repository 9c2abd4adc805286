import { compactionTools, createCompaction } from '@precis/ai-sdk'
import {
  createArchive,
  createToolOutputStore,
  memoryStorage,
  presets,
} from '@precis/core'
import { generateText, type ModelMessage, stepCountIs } from 'ai'
import { limits, model, prompt, tools } from './support/agent.ts'

const storage = memoryStorage()
const compaction = createCompaction({
  limits,
  policy: presets.outputCache, // outputs live in a store, the context shows views of them
  outputs: createToolOutputStore(storage),
  archive: createArchive<ModelMessage>(storage),
})
// The model may ask for a compaction, read a whole output, and look up what left its context.
const all = { ...tools, ...compactionTools(compaction.session('one')) }
const { text } = await generateText({
  model,
  tools: all,
  prompt,
  stopWhen: stepCountIs(200),
  prepareStep: compaction.prepareStep({ session: 'one', tools: all }),
})
console.log(text)
