import * as client7 from '@ai-sdk/openai-compatible'
import { withCompaction } from '@precis/ai-sdk'
import type { ModelMessage } from 'ai'
import * as sdk7 from 'ai'
import * as sdk5 from 'ai-v5'
import * as sdk6 from 'ai-v6'
import * as client5 from 'openai-compatible-v5'
import * as client6 from 'openai-compatible-v6'
import { z } from 'zod'
import { type Front, limits } from './front.ts'
import { fileText } from './vaults.ts'

/** What this agent uses of a major; the newest one has names of its own for two of them. */
interface Sdk {
  generateText(options: object): PromiseLike<{
    readonly text: string
    readonly steps: readonly unknown[]
    readonly responseMessages?: readonly ModelMessage[]
    readonly response: { readonly messages: readonly ModelMessage[] }
  }>
  pruneMessages(options: {
    readonly messages: readonly ModelMessage[]
    readonly toolCalls: string
  }): ModelMessage[]
  tool(definition: object): object
  readonly isStepCount?: (count: number) => unknown
  readonly stepCountIs?: (count: number) => unknown
}

function frontOf(major: number, sdk: unknown, createClient: unknown): Front {
  const {
    generateText,
    pruneMessages,
    tool,
    isStepCount,
    stepCountIs = isStepCount,
  } = sdk as Sdk
  const clientAt = createClient as (
    options: object,
  ) => (model: string) => Parameters<typeof withCompaction>[0]
  return {
    name: `AI SDK ${major}`,
    means: 'pruneMessages',
    chat(way, url) {
      const own = clientAt({
        baseURL: url,
        name: 'strict',
        apiKey: 'none',
        includeUsage: true,
      })('strict')
      const model = way === 'precis' ? withCompaction(own, { limits }) : own
      const execute = async ({ path }: { path: string }) => fileText(path)
      const read_file = tool({
        description: 'Reads a file.',
        inputSchema: z.object({ path: z.string() }),
        execute,
      })
      const history: ModelMessage[] = []
      let steps = 0
      return {
        steps: () => steps,
        async ask(content) {
          history.push({ role: 'user', content })
          const pruned = ({ messages }: { messages: ModelMessage[] }) => ({
            messages: pruneMessages({
              messages,
              toolCalls: 'before-last-6-messages',
            }),
          })
          const result = await generateText({
            model,
            tools: { read_file },
            messages: history,
            stopWhen: stepCountIs?.(100),
            maxRetries: 0,
            maxOutputTokens: limits.maxOutput,
            ...(way === 'means' && { prepareStep: pruned }),
          })
          history.push(...(result.responseMessages ?? result.response.messages))
          steps += result.steps.length
          return result.text
        },
      }
    },
  }
}

export const aiSdks: readonly Front[] = [
  frontOf(7, sdk7, client7.createOpenAICompatible),
  frontOf(6, sdk6, client6.createOpenAICompatible),
  frontOf(5, sdk5, client5.createOpenAICompatible),
]
