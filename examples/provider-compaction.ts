import { withCompaction } from '@precis/ai-sdk'
import { generateText } from 'ai'
import { model, prompt, tools } from './support/agent.ts' // yours: anthropic('claude-sonnet-4-5'), say

await generateText({
  model: withCompaction(model, { onReport: ({ warnings }) => console.log(warnings.join()) }),
  tools,
  prompt,
  providerOptions: { anthropic: { contextManagement: { edits: [{ type: 'compact_20260112' }] } } },
})
