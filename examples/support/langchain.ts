import { recallModel, strictProvider } from '@precis/testkit'
import { type DynamicStructuredTool, tool } from 'langchain'
import type { z } from 'zod'
import { scenario } from '../demo/scenario.ts'
import { tools } from '../demo/tools.ts'

const { OPENAI_BASE_URL } = process.env
const provider =
  OPENAI_BASE_URL === undefined
    ? await strictProvider({ window: 16_000, model: recallModel(scenario) })
    : undefined

export const url = OPENAI_BASE_URL ?? provider?.url ?? ''

/** The demo's tools, as LangChain's own. */
export const langchainTools = Object.entries(tools).map(
  ([name, { description, inputSchema, execute }]) =>
    tool(
      async (input: unknown) =>
        String(
          await execute?.(
            input as never,
            { toolCallId: name, messages: [] } as never,
          ),
        ),
      {
        name,
        description: typeof description === 'string' ? description : name,
        schema: inputSchema as z.ZodObject,
      },
    ),
) as DynamicStructuredTool[]

process.on('exit', () => {
  if (provider?.requests.some((one) => one.status !== 200) === true)
    process.exitCode = 1
})
