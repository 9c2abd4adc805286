import { readFile } from 'node:fs/promises'
import { openai } from '@ai-sdk/openai'
import { withCompaction } from '@precis/ai-sdk'
import { generateText, type StepResult, stepCountIs, tool } from 'ai'
import { z } from 'zod'

// Dollars for a million tokens, as your provider lists them.
const prices = { input: 1.75, cacheRead: 0.175, cacheWrite: 1.75, output: 14 }
const model = withCompaction(openai('gpt-5.2'), {
  policy: { cost: { prices, payback: 20 } }, // no rewrite that has not paid for itself after 20 more calls
  onReport: ({ cost }) => cost && console.log(cost),
})
const read_file = tool({
  description: 'Reads a file.',
  inputSchema: z.object({ path: z.string() }),
  execute: ({ path }) => readFile(path, 'utf8'),
})
const tools = { read_file }

const dollars = (steps: readonly StepResult<typeof tools>[]): number =>
  steps.reduce((sum, { usage }) => {
    const cached = usage.inputTokenDetails.cacheReadTokens ?? 0
    const fresh = (usage.inputTokens ?? 0) - cached
    const output = (usage.outputTokens ?? 0) * prices.output
    return (
      sum + (fresh * prices.input + cached * prices.cacheRead + output) / 1e6
    )
  }, 0)

const { text, steps } = await generateText({
  model,
  tools,
  prompt: 'What does package.json need?',
  stopWhen: [stepCountIs(200), ({ steps }) => dollars(steps) > 0.5],
})
console.log(text, `$${dollars(steps).toFixed(4)}`)
