import { Agent, type AgentInputItem, type CallModelInputFilter, Runner } from '@openai/agents'
import { withCompaction } from '@precis/openai-agents'
import type { PromptEntry } from '@precis/testkit'
import { afterEach, expect, it } from 'vitest'
import { readFileTool } from '../../vaults.ts'
import { look, providerFor } from '../recall-rules/setup.ts'
import { close, dialogue, limits, start } from './setup.ts'

afterEach(close)

const secret = 'PIN-44120'
const holds = (value: unknown): boolean => JSON.stringify(value).includes(secret)
const filters: Readonly<Record<string, (items: AgentInputItem[]) => AgentInputItem[]>> = {
  'leaves a message out': (items) => items.filter((item) => !holds(item)),
  'writes over it': (items) => JSON.parse(JSON.stringify(items).replaceAll(secret, 'removed')) as AgentInputItem[],
}

const read = (prompt: readonly PromptEntry[]): string => prompt.map(({ text }) => text).join('\n')

it.each(['responses', 'chat'] as const)('what a callModelInputFilter takes out later is in no record, no look-up and no passage: %s', async (wire) => {
  for (const [way, take] of Object.entries(filters)) {
    const provider = await start({
      model: (prompt, { tools }) => {
        const asked = prompt.findLastIndex(({ role, isResult }) => role === 'user' && !isResult)
        const looked = prompt.slice(asked).some(({ callIds }) => callIds.length > 0)
        const mayLook = prompt[asked]?.text.includes('pin') === true && !looked && tools.includes('precis_recall')
        return mayLook ? { text: '', calls: [look({ query: 'the pin of the vault' })] } : { text: 'It is known.', calls: [] }
      },
    })
    const modelProvider = withCompaction(providerFor(wire, provider), { limits })
    const agent = new Agent({ name: 'A', model: 'strict', instructions: way, tools: [readFileTool] })
    const items = dialogue(14)
    const history = [...items.slice(0, 4), { role: 'user' as const, content: `The pin of the vault is ${secret}.` }, ...items.slice(5)]
    const ask = (callModelInputFilter: CallModelInputFilter, more: readonly AgentInputItem[]) =>
      new Runner({ modelProvider: modelProvider as never, callModelInputFilter }).run(agent, [...more, { role: 'user', content: 'Which pin has the vault?' }])
    const first = await ask(({ modelData }) => modelData, history)
    expect(read(provider.requests.at(-1)?.prompt ?? [])).toContain(secret)
    const before = provider.requests.length
    await ask(({ modelData }) => ({ ...modelData, input: take(modelData.input) }), first.history)
    const after = provider.requests.slice(before)
    expect(after.map(({ status }) => status)).toEqual([200, 200])
    expect(after.filter(({ prompt }) => read(prompt).includes(secret))).toEqual([])
  }
})
