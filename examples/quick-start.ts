import { createCompaction } from '@precis/ai-sdk'
import { generateText, isStepCount } from 'ai'
import { finish, limits, model, tools } from './support/agent.ts'

const compaction = createCompaction({ limits })
const { text, steps } = await generateText({
  model,
  tools,
  prompt: 'Get to know this repository, file by file.',
  stopWhen: isStepCount(200),
  prepareStep: compaction.prepareStep({ tools }),
})
console.log(`${steps.length} steps: ${text}`)
await finish()
