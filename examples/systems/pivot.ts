import { readFile } from 'node:fs/promises'
import { openai } from '@ai-sdk/openai'
import { modelSummarizer, withCompaction } from '@precis/ai-sdk'
import { presets } from '@precis/core'
import { generateText, stepCountIs, tool } from 'ai'
import { z } from 'zod'

const read_file = tool({ description: 'Reads a file.', inputSchema: z.object({ path: z.string() }), execute: ({ path }) => readFile(path, 'utf8') })
const model = withCompaction(openai('gpt-5.2'), {
  policy: presets.pivot,
  summarizer: modelSummarizer({ model: openai('gpt-5.2') }), // the agent's own model, without tools
  onReport: ({ outcome, tokens }) => console.log(`${outcome}: ${tokens.before} → ${tokens.after} tokens`),
})
console.log((await generateText({ model, tools: { read_file }, prompt: 'Audit what we install.', stopWhen: stepCountIs(200) })).text)
