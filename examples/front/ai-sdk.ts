import { createAnthropic } from '@ai-sdk/anthropic'
import { createGoogleGenerativeAI } from '@ai-sdk/google'
import { createOpenAI } from '@ai-sdk/openai'
import * as client7 from '@ai-sdk/openai-compatible'
import { withCompaction } from '@precis/ai-sdk'
import type { ModelMessage } from 'ai'
import * as sdk7 from 'ai'
import * as sdk5 from 'ai-v5'
import * as sdk6 from 'ai-v6'
import * as client5 from 'openai-compatible-v5'
import * as client6 from 'openai-compatible-v6'
import { z } from 'zod'
import { counter, type Front, optionsOf, reading } from './front.ts'

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

type Model = Parameters<typeof withCompaction>[0]

function frontOf(
  name: string,
  sdk: unknown,
  modelAt: (url: string) => unknown,
  means?: string,
): Front {
  const {
    generateText,
    pruneMessages,
    tool,
    isStepCount,
    stepCountIs = isStepCount,
  } = sdk as Sdk
  return {
    name,
    ...(means !== undefined && { means }),
    chat(way, url, setting = reading) {
      const { limits, instructions } = setting
      const own = modelAt(url) as Model
      const model =
        way === 'precis' || way === 'off'
          ? withCompaction(own, optionsOf(way, setting))
          : own
      const tools = Object.fromEntries(
        setting.tools.map(({ name, description, parameter, execute }) => [
          name,
          tool({
            description,
            inputSchema: z.object({ [parameter]: z.string() }),
            execute: async (input: Readonly<Record<string, string>>) =>
              execute(input[parameter] ?? ''),
          }),
        ]),
      )
      const history: ModelMessage[] = []
      const { seen, see } = counter()
      return {
        seen,
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
            tools,
            ...(instructions !== undefined && { system: instructions }),
            messages: history,
            stopWhen: stepCountIs?.(100),
            maxRetries: 0,
            maxOutputTokens: limits.maxOutput,
            ...(way === 'means' && { prepareStep: pruned }),
          })
          const said = result.responseMessages ?? result.response.messages
          history.push(...said)
          see(result.steps.length, said)
          return result.text
        },
      }
    },
  }
}

const chat = (createClient: unknown) => (url: string) =>
  (createClient as (options: object) => (model: string) => unknown)({
    baseURL: url,
    name: 'strict',
    apiKey: 'none',
    includeUsage: true,
  })('strict')
const at = (url: string) => ({ baseURL: url, apiKey: 'none' })

/** Its calls have no ids of their own: the client's would be others in each run. */
const gemini = (url: string) => {
  let calls = 0
  const generateId = () => `call_${calls++}`
  return createGoogleGenerativeAI({ ...at(url), generateId })('strict')
}

export const aiSdks: readonly Front[] = [
  frontOf(
    'AI SDK 7',
    sdk7,
    chat(client7.createOpenAICompatible),
    'pruneMessages',
  ),
  frontOf(
    'AI SDK 6',
    sdk6,
    chat(client6.createOpenAICompatible),
    'pruneMessages',
  ),
  frontOf(
    'AI SDK 5',
    sdk5,
    chat(client5.createOpenAICompatible),
    'pruneMessages',
  ),
  frontOf('AI SDK 7, Anthropic Messages', sdk7, (url) =>
    createAnthropic(at(url))('strict'),
  ),
  frontOf('AI SDK 7, OpenAI Responses', sdk7, (url) =>
    createOpenAI(at(url)).responses('strict'),
  ),
  frontOf('AI SDK 7, Gemini', sdk7, gemini),
]
