import { readFile } from 'node:fs/promises'
import { openai } from '@ai-sdk/openai'
import { withCompaction } from '@precis/ai-sdk'
import { createToolOutputStore, memoryStorage, presets } from '@precis/core'
import { generateText, stepCountIs, tool } from 'ai'
import { z } from 'zod'

const read_file = tool({ description: 'Reads a file.', inputSchema: z.object({ path: z.string() }), execute: ({ path }) => readFile(path, 'utf8') })
const model = withCompaction(openai('gpt-5.2'), {
  policy: presets.outputCache,
  outputs: createToolOutputStore(memoryStorage()), // whole, under the reference that the view names
  onReport: ({ outcome, tokens }) => console.log(`${outcome}: ${tokens.before} → ${tokens.after} tokens`),
})
console.log((await generateText({ model, tools: { read_file }, prompt: 'Audit what we install.', stopWhen: stepCountIs(200) })).text)
