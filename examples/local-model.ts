import { createCompaction } from '@precis/ai-sdk'
import { generateText, stepCountIs, wrapLanguageModel } from 'ai'
import { model, prompt, tools } from './support/agent.ts'

// llama.cpp, Ollama and LM Studio speak the same language: OPENAI_BASE_URL=http://127.0.0.1:8080/v1 PRECIS_MODEL=local
const compaction = createCompaction({
  limits: { contextWindow: 8_192, maxOutput: 512 }, // what the server was started with: a local server may cut off what is longer without a word
  // No model is asked for summaries: a small one writes few that pass the checks, and each would cost its whole window's time.
  policy: { summary: { author: 'record' } },
  onReport: ({ outcome, tokens }) => {
    if (outcome === 'summarized')
      console.log(`summarized: ${tokens.before} → ${tokens.after} tokens`)
  },
})
// The guard sits under the agent: whatever calls the model stays inside the window.
const guarded = wrapLanguageModel({
  model,
  middleware: compaction.middleware(),
})
const { text } = await generateText({
  model: guarded,
  tools,
  prompt,
  stopWhen: stepCountIs(200),
})
console.log(text)
