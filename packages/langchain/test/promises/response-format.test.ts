import { HumanMessage } from '@langchain/core/messages'
import type { CompactionReport } from '@precis/core'
import { compaction, withCompaction } from '@precis/langchain'
import { type StrictProvider, strictProvider } from '@precis/testkit'
import { createAgent, providerStrategy, toolStrategy } from 'langchain'
import { afterEach, expect, it } from 'vitest'
import { z } from 'zod'
import { modelAt, readFile } from '../vaults.ts'

let provider: StrictProvider | undefined
afterEach(async () => {
  await provider?.close()
  provider = undefined
})

const names = Array.from({ length: 60 }, (_, at) => `field_${at}`)
const form = z.object(Object.fromEntries(names.map((name, at) => [name, z.string().describe(`What stands in drawer ${at} of the cabinet, word for word`)])))
const filled = JSON.stringify(Object.fromEntries(names.map((name) => [name, 'x'])))
const asked = [new HumanMessage('Fill in the form.')]
const agent = (url: string, options: object, responseFormat: unknown) =>
  createAgent({
    model: modelAt('openai', url),
    tools: [readFile],
    middleware: [compaction(options)],
    ...(responseFormat !== undefined && { responseFormat: responseFormat as never }),
  })

it.each<readonly [string, (url: string, options: object, isFilled: boolean) => Promise<unknown>]>([
  ['providerStrategy', (url, options, wanted) => agent(url, options, wanted ? providerStrategy(form) : undefined).invoke({ messages: asked })],
  ['toolStrategy', (url, options, wanted) => agent(url, options, wanted ? toolStrategy(form) : undefined).invoke({ messages: asked })],
  [
    'withStructuredOutput',
    (url, options, wanted) => {
      const model = withCompaction(modelAt('openai', url), options)
      return (wanted ? model.withStructuredOutput(form, { method: 'jsonSchema', name: 'form' }) : model).invoke(asked)
    },
  ],
])('the schema that the reply shall follow is counted: %s', async (_, ask) => {
  provider = await strictProvider({
    window: 50_000,
    model: (_prompt, { tools }) => {
      const tool = tools.find((name) => name.startsWith('extract'))
      return tool === undefined ? { text: filled, calls: [] } : { text: '', calls: [{ id: 'c', tool, input: filled }] }
    },
  })
  const counted: number[] = []
  const options = { limits: { contextWindow: 50_000, maxOutput: 500 }, onReport: (report: CompactionReport) => counted.push(report.tokens.before) }
  await ask(provider.url, options, false)
  await ask(provider.url, options, true)
  const [without = 0, schema = 0] = counted
  expect(schema - without).toBeGreaterThan(1_000)
  expect(schema - without).toBeLessThan(4_000)
})
