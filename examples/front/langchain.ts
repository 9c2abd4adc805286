import { ChatAnthropic } from '@langchain/anthropic'
import { HumanMessage } from '@langchain/core/messages'
import { MemorySaver } from '@langchain/langgraph'
import { ChatOpenAI } from '@langchain/openai'
import { withCompaction } from '@precis/langchain'
import {
  type AgentMiddleware,
  createAgent,
  summarizationMiddleware,
  tool,
} from 'langchain'
import { z } from 'zod'
import { type Front, limits, optionsOf } from './front.ts'
import { fileText } from './vaults.ts'

/** Its types know more option shapes than a plain call can satisfy. */
const summarize = summarizationMiddleware as unknown as (
  options: object,
) => AgentMiddleware

const openai = (useResponsesApi: boolean) => (url: string) =>
  new ChatOpenAI({
    model: 'strict',
    apiKey: 'none',
    maxTokens: limits.maxOutput,
    maxRetries: 0,
    useResponsesApi,
    configuration: { baseURL: url },
  })
const anthropic = (url: string) =>
  new ChatAnthropic({
    model: 'strict',
    apiKey: 'none',
    maxTokens: limits.maxOutput,
    maxRetries: 0,
    anthropicApiUrl: url,
  })

const frontOf = (
  name: string,
  modelAt: (url: string) => ChatOpenAI | ChatAnthropic,
  means?: string,
): Front => ({
  name,
  ...(means !== undefined && { means }),
  chat(way, url) {
    const own = modelAt(url)
    const readFile = tool(async ({ path }) => fileText(path), {
      name: 'read_file',
      description: 'Reads a file.',
      schema: z.object({ path: z.string() }),
    })
    const agent = createAgent({
      model:
        way === 'precis' || way === 'off'
          ? withCompaction(own, optionsOf(way))
          : own,
      tools: [readFile],
      ...(way === 'means' && {
        middleware: [
          summarize({
            model: own,
            trigger: { tokens: 8_000 },
            keep: { messages: 6 },
          }),
        ],
      }),
      checkpointer: new MemorySaver(),
    })
    let steps = 0
    return {
      steps: () => steps,
      async ask(content) {
        let text = ''
        const config = {
          configurable: { thread_id: 't' },
          recursionLimit: 200,
          streamMode: 'updates' as const,
        }
        for await (const update of await agent.stream(
          { messages: [new HumanMessage(content)] },
          config,
        )) {
          for (const [node, part] of Object.entries(
            update as Record<
              string,
              { messages?: readonly { readonly text: string }[] } | null
            >,
          )) {
            if (node !== 'model_request' && node !== 'tools') continue
            steps++
            text = part?.messages?.at(-1)?.text ?? text
          }
        }
        return text
      },
    }
  },
})

export const langchains: readonly Front[] = [
  frontOf('LangChain', openai(false), 'summarizationMiddleware'),
  frontOf('LangChain, OpenAI Responses', openai(true)),
  frontOf('LangChain, Anthropic Messages', anthropic),
]
