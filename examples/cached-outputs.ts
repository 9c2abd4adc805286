import { readFile } from 'node:fs/promises'
import { openai } from '@ai-sdk/openai'
import {
  compactionTools,
  createCompaction,
  withCompaction,
} from '@precis/ai-sdk'
import { createToolOutputStore, memoryStorage } from '@precis/core'
import { generateText, stepCountIs, tool } from 'ai'
import { z } from 'zod'

const storage = memoryStorage() // where outputs outlive the process: a store of yours
const options = { storage, outputs: createToolOutputStore(storage) }
const compaction = createCompaction(options)
const model = withCompaction(openai('gpt-5.2'), options) // the same storage and outputs

const read_file = tool({
  description: 'Reads a file.',
  inputSchema: z.object({ path: z.string() }),
  execute: ({ path }) => readFile(path, 'utf8'),
})
const { text } = await generateText({
  model,
  tools: {
    ...compaction.cacheToolOutputs({ read_file }), // long outputs are stored, the conversation gets views
    ...compactionTools(compaction.session('one')), // the model reads and searches the whole ones
  },
  prompt: 'Audit what we install.',
  stopWhen: stepCountIs(200),
  providerOptions: { precis: { session: 'one' } },
})
console.log(text)
