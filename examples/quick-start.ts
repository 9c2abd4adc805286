import { createCompaction } from '@precis/ai-sdk'
import { generateText, isStepCount } from 'ai'
import { limits, model, prompt, tools } from './support/agent.ts'

const { prepareStep } = createCompaction({ limits })
const { text } = await generateText({ model, tools, prompt, stopWhen: isStepCount(200), prepareStep: prepareStep({ tools }) })
console.log(text)
