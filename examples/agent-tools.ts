import { readFile } from 'node:fs/promises'
import { openai } from '@ai-sdk/openai'
import { compactionTools, createCompaction } from '@precis/ai-sdk'
import {
  createArchive,
  createToolOutputStore,
  memoryStorage,
  presets,
} from '@precis/core'
import { generateText, type ModelMessage, stepCountIs, tool } from 'ai'
import { z } from 'zod'

const storage = memoryStorage()
const compaction = createCompaction({
  policy: presets.outputCache, // outputs live in a store, the context shows views of them
  outputs: createToolOutputStore(storage),
  archive: createArchive<ModelMessage>(storage),
  onReport: ({ outcome, tokens }) =>
    console.log(`${outcome}: ${tokens.before} → ${tokens.after} tokens`),
})
const read_file = tool({
  description: 'Reads a file.',
  inputSchema: z.object({ path: z.string() }),
  execute: ({ path }) => readFile(path, 'utf8'),
})
// The model may ask for a compaction, read a whole output, and look up what left its context.
const tools = { read_file, ...compactionTools(compaction.session('one')) }
const { text } = await generateText({
  model: openai('gpt-5.2'),
  tools,
  prompt: 'Audit what we install.',
  stopWhen: stepCountIs(200),
  prepareStep: compaction.prepareStep({ session: 'one', tools }),
})
console.log(text)
