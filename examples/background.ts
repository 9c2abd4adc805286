import { createCompaction } from '@precis/ai-sdk'
import { generateText, stepCountIs } from 'ai'
import { limits, model, prompt, tools } from './support/agent.ts'

// From `soft` on the summary is prepared beside the agent's own calls; when `hard` is reached it is there already.
const { prepareStep } = createCompaction({
  limits,
  policy: {
    trigger: {
      background: true,
      soft: { fraction: 0.6 },
      hard: { fraction: 0.8 },
    },
  },
  onReport: ({ outcome, duration }) => {
    if (outcome === 'summarized')
      console.log(
        `summarized, the agent waited ${duration < 1_000 ? 'less' : 'more'} than a second`,
      )
  },
})
const { text } = await generateText({
  model,
  tools,
  prompt,
  stopWhen: stepCountIs(200),
  prepareStep: prepareStep({ tools }),
})
console.log(text)
