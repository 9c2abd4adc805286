import { readFile } from 'node:fs/promises'
import { openai } from '@ai-sdk/openai'
import { withCompaction } from '@precis/ai-sdk'
import { generateText, stepCountIs, tool } from 'ai'
import { z } from 'zod'

// llama.cpp, Ollama and LM Studio speak the same language: OPENAI_BASE_URL=http://127.0.0.1:8080/v1 OPENAI_API_KEY=none
const model = withCompaction(openai.chat('local'), {
  limits: { contextWindow: 8_192, maxOutput: 512 }, // what the server was started with: a local server may cut off what is longer without a word
  // No model is asked for summaries: a small one writes few that pass the checks, and each would cost its whole window's time.
  policy: { summary: { author: 'record' } },
  onReport: ({ outcome, tokens }) => {
    if (outcome === 'summarized')
      console.log(`summarized: ${tokens.before} → ${tokens.after} tokens`)
  },
})
const read_file = tool({
  description: 'Reads a file.',
  inputSchema: z.object({ path: z.string() }),
  execute: ({ path }) => readFile(path, 'utf8'),
})
const { text } = await generateText({
  model,
  tools: { read_file },
  prompt: 'Audit what we install.',
  stopWhen: stepCountIs(200),
})
console.log(text)
