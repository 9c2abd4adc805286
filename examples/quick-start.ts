import { createCompaction } from '@precis/ai-sdk'
import { generateText, stepCountIs } from 'ai'
import { model, prompt, tools } from './support/agent.ts' // yours

const { prepareStep } = createCompaction({
  limits: { contextWindow: 16_000, maxOutput: 1_000 },
}) // your model's
const { text } = await generateText({
  model,
  tools,
  prompt,
  stopWhen: stepCountIs(200),
  prepareStep: prepareStep({ tools }),
})
console.log(text)
