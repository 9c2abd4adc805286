// Built packages, no loader, no test runner: does it work under the Node that runs this? Prints one line per major.

import { createCompaction } from '@precis/ai-sdk'
import { memoryStorage } from '@precis/core'

const majors = {
  5: ['ai-v5', 'ai-v5/test', 'MockLanguageModelV2'],
  6: ['ai-v6', 'ai-v6/test', 'MockLanguageModelV3'],
  7: ['ai', 'ai/test', 'MockLanguageModelV4'],
}
for (const major of process.argv.slice(2)) {
  const [name, test, mock] = majors[major]
  const { generateText, jsonSchema, isStepCount, stepCountIs } = await import(name)
  const { [mock]: Model } = await import(test)
  const flat = major === '5'
  const sizes = []
  const model = new Model({
    doGenerate: async ({ prompt }) => {
      sizes.push(JSON.stringify(prompt).length)
      const done = sizes.length > 20
      return {
        content: done ? [{ type: 'text', text: 'done' }] : [{ type: 'tool-call', toolCallId: `c${sizes.length}`, toolName: 'read', input: '{}' }],
        finishReason: flat ? (done ? 'stop' : 'tool-calls') : { unified: done ? 'stop' : 'tool-calls', raw: 'x' },
        usage: flat ? { inputTokens: 0, outputTokens: 5, totalTokens: 5 } : { inputTokens: { total: 0 }, outputTokens: { total: 5 } },
        warnings: [],
      }
    },
  })
  const outcomes = []
  const compaction = createCompaction({
    limits: { contextWindow: 8_000, maxOutput: 500 },
    storage: memoryStorage(),
    onReport: ({ outcome }) => outcomes.push(outcome),
  })
  const tools = { read: { inputSchema: jsonSchema({ type: 'object' }), execute: async () => 'a line of text\n'.repeat(300) } }
  const { text } = await generateText({
    model,
    tools,
    prompt: 'go',
    prepareStep: compaction.prepareStep({ tools }),
    stopWhen: (isStepCount ?? stepCountIs)(40),
  })
  const compactions = outcomes.filter((one) => one === 'summarized' || one === 'pruned').length
  if (text !== 'done' || compactions === 0 || Math.max(...sizes) > 60_000) throw new Error(`AI SDK ${major}: ${text}, ${outcomes.join()}`)
  console.log(`Node ${process.versions.node}, AI SDK ${major}: 21 steps, ${compactions} compactions`)
}
