import { setTracingDisabled, tool } from '@openai/agents'
import { recallModel, strictProvider } from '@precis/testkit'
import OpenAI from 'openai'
import { scenario } from '../demo/scenario.ts'
import { tools } from '../demo/tools.ts'

/** A local provider that refuses what a real one would, unless the environment names another. Clients of the SDK find it there. */
const provider =
  process.env['OPENAI_BASE_URL'] === undefined
    ? await strictProvider({ window: 16_000, model: recallModel(scenario) })
    : undefined
if (provider !== undefined) process.env['OPENAI_BASE_URL'] = provider.url
process.env['OPENAI_API_KEY'] ??= 'none'
setTracingDisabled(true)

export const client = new OpenAI() as never

/** The demo's tools, as the SDK's own. */
export const agentTools = Object.entries(tools).map(
  ([name, { description, inputSchema, execute }]) =>
    tool({
      name,
      description: typeof description === 'string' ? description : name,
      parameters: inputSchema as never,
      execute: async (input: unknown) =>
        String(
          await execute?.(
            input as never,
            { toolCallId: name, messages: [] } as never,
          ),
        ),
    }),
)

process.on('exit', () => {
  if (provider?.requests.some((one) => one.status !== 200) === true)
    process.exitCode = 1
})
