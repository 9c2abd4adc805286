import { withCompaction } from '@precis/ai-sdk'
import { generateText, isStepCount } from 'ai'
import { model, prompt, tools } from './support/agent.ts' // yours: openai('gpt-5.2'), say

const { text, steps } = await generateText({ model: withCompaction(model), tools, prompt, stopWhen: isStepCount(200) })
console.log(`${text} ${steps.length} steps`)
