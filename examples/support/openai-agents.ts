import { tool } from '@openai/agents'
import { recallModel, strictProvider } from '@precis/testkit'
import OpenAI from 'openai'
import { request, scenario } from '../demo/scenario.ts'
import { tools } from '../demo/tools.ts'

const { OPENAI_BASE_URL, OPENAI_API_KEY } = process.env
const provider = OPENAI_BASE_URL === undefined ? await strictProvider({ window: 16_000, model: recallModel(scenario) }) : undefined

export const client = new OpenAI({ baseURL: OPENAI_BASE_URL ?? provider?.url, apiKey: OPENAI_API_KEY ?? 'none' }) as never
export const prompt = request

/** The demo's tools, as the SDK's own. */
export const agentTools = Object.entries(tools).map(([name, { description, inputSchema, execute }]) =>
  tool({
    name,
    description: typeof description === 'string' ? description : name,
    parameters: inputSchema as never,
    execute: async (input: unknown) => String(await execute?.(input as never, { toolCallId: name, messages: [] } as never)),
  }),
)

process.on('exit', () => {
  if (provider?.requests.some((one) => one.status !== 200) === true) process.exitCode = 1
})
