import {
  Agent,
  type AgentInputItem,
  type CallModelInputFilter,
  OpenAIChatCompletionsModel,
  OpenAIResponsesModel,
  Runner,
  setTracingDisabled,
  tool,
} from '@openai/agents'
import { withCompaction } from '@precis/openai-agents'
import OpenAI from 'openai'
import { z } from 'zod'
import {
  counter,
  type Front,
  inEachProcess,
  optionsOf,
  reading,
} from './front.ts'

setTracingDisabled(true)

/** The newest ten items, from one on that is no result. */
const newestTen: CallModelInputFilter = async ({ modelData }) => {
  const input = modelData.input.slice(-10)
  return {
    ...modelData,
    input: input.slice(
      Math.max(
        0,
        input.findIndex(({ type }) => type !== 'function_call_result'),
      ),
    ),
  }
}

const frontOf = (
  name: string,
  Model: typeof OpenAIChatCompletionsModel | typeof OpenAIResponsesModel,
  means?: string,
): Front => ({
  name,
  ...(means !== undefined && { means }),
  chat(way, url, setting = reading) {
    const { limits, instructions } = setting
    const client = new OpenAI({ apiKey: 'none', baseURL: url, maxRetries: 0 })
    const modelOf = () =>
      new Model(
        client as ConstructorParameters<typeof OpenAIChatCompletionsModel>[0],
        'strict',
      )
    const tools = setting.tools.map(
      ({ name, description, parameter, execute }) =>
        tool({
          name,
          description,
          parameters: z.object({ [parameter]: z.string() }),
          execute: async (input) => execute(input[parameter] ?? ''),
        }),
    )
    const agentNow = inEachProcess(
      setting,
      () =>
        new Agent({
          name: 'reader',
          model:
            way === 'precis' || way === 'off'
              ? withCompaction(modelOf(), optionsOf(way, setting))
              : modelOf(),
          modelSettings: { maxTokens: limits.maxOutput },
          tools,
          ...(instructions !== undefined && { instructions }),
        }),
    )
    const runner = new Runner(
      way === 'means' ? { callModelInputFilter: newestTen } : {},
    )
    let history: AgentInputItem[] = []
    const { seen, see } = counter()
    return {
      seen,
      async ask(content) {
        const result = await runner.run(
          agentNow(),
          [...history, { role: 'user', content }],
          { maxTurns: 200 },
        )
        history = result.history
        see(result.rawResponses.length, result.newItems)
        return result.finalOutput ?? ''
      },
    }
  },
})

export const openaiAgents: readonly Front[] = [
  frontOf(
    'OpenAI Agents',
    OpenAIChatCompletionsModel,
    'callModelInputFilter, the newest ten',
  ),
  frontOf('OpenAI Agents, OpenAI Responses', OpenAIResponsesModel),
]
