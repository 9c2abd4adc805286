import { createCompaction, modelSummarizer } from '@precis/ai-sdk'
import { memoryStorage } from '@precis/core'
import { generateText, type ModelMessage, stepCountIs } from 'ai'
import { limits, model, prompt, tools } from './support/agent.ts'

const compaction = createCompaction({
  limits,
  summarizer: modelSummarizer({ model }), // a cheaper model than the agent's will do
  storage: memoryStorage(), // where compactions outlive the process: your own StorageDriver
  policy: {
    trigger: { hard: { fraction: 0.75 } },
    summary: { directives: ['Keep ticket numbers.'] },
  },
})
const history: ModelMessage[] = []
for (const content of [
  `${prompt} The ticket is REV-3107.`,
  'And now: under which review is this work done?',
]) {
  history.push({ role: 'user', content })
  const prepareStep = compaction.prepareStep({
    session: 'conversation-1',
    tools,
  })
  const { text, responseMessages } = await generateText({
    model,
    tools,
    messages: history,
    prepareStep,
    stopWhen: stepCountIs(200),
  })
  history.push(...responseMessages) // the whole history stays yours. In AI SDK 5 and 6: response.messages
  console.log(text)
}
