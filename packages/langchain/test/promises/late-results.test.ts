import { type AIMessage, HumanMessage, ToolMessage } from '@langchain/core/messages'
import { withCompaction } from '@precis/langchain'
import { type ModelReply, type StrictProvider, strictProvider } from '@precis/testkit'
import { afterEach, describe, expect, it } from 'vitest'
import { modelAt, type Wire } from '../vaults.ts'

let provider: StrictProvider | undefined
afterEach(() => provider?.close())

const read = {
  type: 'function',
  function: { name: 'read_file', description: 'Reads a file.', parameters: { type: 'object', properties: { path: { type: 'string' } } } },
}
const thinks = { maxTokens: 1_400, thinking: { type: 'enabled', budget_tokens: 1_024 } }
const wires: readonly (readonly [name: string, wire: Wire, settings: object])[] = [
  ['OpenAI Chat', 'openai', { maxTokens: 300 }],
  ['OpenAI Responses', 'openai-responses', { maxTokens: 300 }],
  ['Anthropic', 'anthropic', { maxTokens: 300 }],
  ['Anthropic, thinking', 'anthropic', thinks],
]

describe.each(wires)('a result that arrives when the model has spoken since: %s', (_, wire, settings) => {
  it.each([
    ['one call', ['c1'], ['c1']],
    ['the later of two', ['c1', 'c2'], ['c2']],
    ['both of two', ['c1', 'c2'], ['c2', 'c1']],
  ])('%s', async (_name, asked, late) => {
    const said: ModelReply[] = [
      { text: '', calls: asked.map((id) => ({ id, tool: 'read_file', input: '{"path":"a.ts"}' })) },
      { text: 'It is not there yet.', calls: [] },
      { text: 'Now it is there.', calls: [] },
      { text: 'You are welcome.', calls: [] },
    ]
    let turn = 0
    provider = await strictProvider({ window: 100_000, model: () => ({ ...(said[turn++] as ModelReply), thinking: `Thought ${turn}.` }) })
    const model = withCompaction(modelAt(wire, provider.url, settings), { limits: { contextWindow: 100_000, maxOutput: 300 } }).bindTools?.([read])
    const result = (id: string) => new ToolMessage({ content: `export const a = '${id}'`, tool_call_id: id, name: 'read_file' })
    const chat: (HumanMessage | AIMessage | ToolMessage)[] = [new HumanMessage('Read a.ts.')]
    const ask = async (...more: (HumanMessage | ToolMessage)[]): Promise<void> => {
      chat.push(...more)
      chat.push((await model?.invoke(chat)) as AIMessage)
    }
    await ask()
    await ask(...asked.filter((id) => !late.includes(id)).map(result), new HumanMessage('Is it there?'))
    await ask(...late.map(result))
    await ask(new HumanMessage('Thanks.'))
    expect(provider.requests.flatMap(({ violations }) => violations)).toEqual([])
    // As it came last, it stands last: the model has to answer it, and not the question before it again.
    const texts = provider.requests[2]?.prompt.map(({ text }) => text) ?? []
    expect(texts.at(-1)).toContain("export const a = '")
    expect(texts.findIndex((text) => text.includes('not there yet'))).toBeLessThan(texts.findIndex((text) => text.includes('export const')))
    expect(provider.requests[3]?.prompt.slice(0, texts.length).map(({ text }) => text)).toEqual(texts)
  })
})
