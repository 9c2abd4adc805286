import { AIMessage, type BaseMessage, HumanMessage, ToolMessage } from '@langchain/core/messages'
import { RunnableLambda } from '@langchain/core/runnables'
import { adapterCases } from '@precis/testkit'
import { describe, expect, it } from 'vitest'
import { compactionTools, createCompactionNode, createCompactor, createPreModelHook, messageCodec, modelSummarizer } from '../src/index.ts'
import { make } from './make.ts'

// Runs once with each end of the range of `@langchain/core`, the one required peer, in place of the version beside it.

const limits = { contextWindow: 6_000, maxInput: 6_000 }
const long = (): BaseMessage[] => [
  new HumanMessage('The ticket is PRE-205.'),
  ...Array.from({ length: 30 }, (_, at) => [
    new AIMessage({ content: '', tool_calls: [{ id: `c${at}`, name: 'read', args: { path: `f${at}` } }] }),
    new ToolMessage({ content: 'word '.repeat(300), tool_call_id: `c${at}`, name: 'read' }),
  ]).flat(),
  new HumanMessage('Which ticket?'),
]

it.each(adapterCases)('$name', ({ run }) => run({ codec: messageCodec, make, splits: 'results' }), 60_000)

describe('without an agent', () => {
  it('a Runnable before a model, with a summary by another', async () => {
    const asked: string[] = []
    const summarizer = modelSummarizer({
      model: RunnableLambda.from(async (messages: BaseMessage[]) => {
        asked.push(String(messages[0]?.getType()))
        const headings = [...String(messages[1]?.content).matchAll(/^## .*$/gm)]
        return new AIMessage(headings.map(([heading]) => `${heading}\n- PRE-205 goes on`).join('\n'))
      }) as never,
    })
    const model = RunnableLambda.from(async (messages: BaseMessage[]) => new AIMessage(`${messages.length} messages`))
    const source = long()
    const answer = await createCompactor({ limits, summarizer }).pipe(model).invoke(source)
    expect(Number.parseInt(String(answer.content), 10)).toBeLessThan(source.length)
    expect(asked[0]).toBe('system')
  })
  it('a hook, a node and tools', async () => {
    const { llmInputMessages } = await createPreModelHook({ limits })({ messages: long() })
    expect(llmInputMessages.length).toBeLessThan(62)
    const { messages } = await createCompactionNode({ limits })({ messages: long() })
    expect(messages?.[0]?.getType()).toBe('remove')
    const asked: unknown[] = []
    const [tool] = compactionTools({
      tools: () => [
        {
          name: 'look',
          description: 'Looks.',
          inputSchema: { type: 'object', properties: { at: { type: 'string' } } },
          execute: async (input) => String(asked.push(input)),
        },
      ],
    })
    expect(await tool?.invoke({ at: 'x' })).toBe('1')
    expect(asked).toEqual([{ at: 'x' }])
  })
})
