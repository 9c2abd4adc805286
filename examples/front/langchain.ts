import { ChatAnthropic } from '@langchain/anthropic'
import { HumanMessage } from '@langchain/core/messages'
import { MemorySaver } from '@langchain/langgraph'
import { ChatOpenAI } from '@langchain/openai'
import { compaction, withCompaction } from '@precis/langchain'
import {
  type AgentMiddleware,
  createAgent,
  summarizationMiddleware,
  tool,
} from 'langchain'
import { z } from 'zod'
import {
  counter,
  type Front,
  inEachProcess,
  instructionsOf,
  limits,
  optionsOf,
  reading,
} from './front.ts'

/** Its types know more option shapes than a plain call can satisfy. */
const summarize = summarizationMiddleware as unknown as (
  options: object,
) => AgentMiddleware

export const openai = (useResponsesApi: boolean) => (url: string) =>
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

/** States as they are, where writing and reading each of them would take most of the time of a long conversation. */
const byReference = {
  dumpsTyped: async (state: unknown): Promise<[string, Uint8Array]> => [
    'reference',
    state as Uint8Array,
  ],
  loadsTyped: async (_: string, state: unknown) => state,
}

const frontOf = (
  name: string,
  modelAt: (url: string) => ChatOpenAI | ChatAnthropic,
  means?: string,
  line: 'model' | 'middleware' = 'model',
): Front => ({
  name,
  ...(line === 'middleware' && { line: '`compaction()`' }),
  ...(means !== undefined && { means }),
  chat(way, url, setting = reading) {
    const checkpointer = new MemorySaver(
      line === 'model' ? undefined : byReference,
    )
    const agentNow = inEachProcess(setting, () => {
      const instructions = instructionsOf(setting)
      const own = modelAt(url)
      const ours =
        way === 'precis' || way === 'off' ? optionsOf(way, setting) : undefined
      return createAgent({
        model:
          ours !== undefined && line === 'model'
            ? withCompaction(own, ours)
            : own,
        tools: setting.tools.map(({ name, description, parameter, execute }) =>
          tool(async (input) => execute(input[parameter] ?? ''), {
            name,
            description,
            schema: z.object({ [parameter]: z.string() }),
          }),
        ),
        ...(instructions !== undefined && { systemPrompt: instructions }),
        ...(ours !== undefined &&
          line === 'middleware' && { middleware: [compaction(ours)] }),
        ...(way === 'means' && {
          middleware: [
            summarize({
              model: own,
              trigger: { tokens: 8_000 },
              keep: { messages: 6 },
            }),
          ],
        }),
        checkpointer,
      })
    })
    const { seen, see } = counter()
    return {
      seen,
      async ask(content) {
        let text = ''
        const config = {
          configurable: { thread_id: 't' },
          recursionLimit: 200,
          streamMode: 'updates' as const,
        }
        for await (const update of await agentNow().stream(
          { messages: [new HumanMessage(content)] },
          config,
        )) {
          let steps = 0
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
          see(steps, update)
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

/** The same agent with our line among its middleware. */
export const langchainMiddleware: Front = frontOf(
  'LangChain, `compaction()`',
  openai(false),
  undefined,
  'middleware',
)
