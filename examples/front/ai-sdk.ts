import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { withCompaction } from '@precis/ai-sdk'
import { generateText, isStepCount, type ModelMessage, pruneMessages, tool } from 'ai'
import { z } from 'zod'
import { type Front, limits } from './front.ts'
import { fileText } from './vaults.ts'

export const aiSdk: Front = {
  name: 'AI SDK 7',
  means: 'pruneMessages',
  chat(way, url) {
    const own = createOpenAICompatible({ baseURL: url, name: 'strict', apiKey: 'none', includeUsage: true })('strict')
    const model = way === 'precis' ? withCompaction(own, { limits }) : own
    const read_file = tool({ description: 'Reads a file.', inputSchema: z.object({ path: z.string() }), execute: async ({ path }) => fileText(path) })
    const history: ModelMessage[] = []
    let steps = 0
    return {
      steps: () => steps,
      async ask(content) {
        history.push({ role: 'user', content })
        const pruned = ({ messages }: { messages: ModelMessage[] }) => ({ messages: pruneMessages({ messages, toolCalls: 'before-last-6-messages' }) })
        const result = await generateText({
          model,
          tools: { read_file },
          messages: history,
          stopWhen: isStepCount(100),
          maxRetries: 0,
          maxOutputTokens: limits.maxOutput,
          ...(way === 'means' && { prepareStep: pruned }),
        })
        history.push(...result.responseMessages)
        steps += result.steps.length
        return result.text
      },
    }
  },
}
