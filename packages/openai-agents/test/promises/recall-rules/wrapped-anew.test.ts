import { Agent, type Model, Runner } from '@openai/agents'
import { memoryStorage } from '@precis/core'
import { type WithCompactionOptions, withCompaction } from '@precis/openai-agents'
import { afterEach, describe, expect, it } from 'vitest'
import { readFileTool } from '../../vaults.ts'
import { ask, close, history, limits, look, name, offered, providerFor, refusals, scripted, start, vault } from './setup.ts'

afterEach(close)
const question = { role: 'user' as const, content: 'What does the file of the first vault say?' }
const isAnswer = ({ isResult, text }: { readonly isResult?: boolean; readonly text: string }): boolean => isResult === true && text.includes(vault.code)

describe.each<readonly [string, () => WithCompactionOptions]>([
  ['without a storage', () => ({})],
  [
    'with a storage',
    () => {
      const storage = memoryStorage()
      return { storage }
    },
  ],
])('a provider that is wrapped anew for each request, %s', (_, optionsOf) => {
  it.each(['chat', 'responses'] as const)('shows a round where it was asked for, through %s: what was sent before is cached', async (wire) => {
    const provider = await start({
      model: scripted(
        () => ({ calls: [look()] }),
        () => ({ text: 'It is known.' }),
      ),
    })
    const options = { limits, ...optionsOf() }
    const inner = providerFor(wire, provider)
    const wrap = () => withCompaction(inner, options)
    const first = await ask(wrap(), { input: [...history, question] })
    await ask(wrap(), { input: [...first.history, { role: 'user', content: 'And what else?' }] })
    expect(refusals(provider)).toEqual([])
    const [, before, after] = provider.requests
    expect(after?.prompt.some(isAnswer)).toBe(true)
    expect(after?.cachedTokens).toBeGreaterThan((before?.inputTokens ?? Infinity) * 0.95)
  })
  it('is refused our tool once', async () => {
    const provider = await start({
      model: () => ({ text: 'ok', calls: [] }),
      refusesTools: (tools) => (tools.includes(name) ? `Invalid tool: ${name} is not supported` : undefined),
    })
    const options = { limits, ...optionsOf() }
    const inner = providerFor('chat', provider)
    for (const _ of [1, 2, 3]) await ask(withCompaction(inner, options))
    expect(offered(provider)).toEqual([true, false, false, false])
  })
})

it('an agent and the one that it hands over to, each with a model of its own that was wrapped where it was made, share what was looked up', async () => {
  const provider = await start({
    model: scripted(
      () => ({ calls: [look()] }),
      () => ({ calls: [{ id: 'over_1', tool: 'transfer_to_second', input: '{}' }] }),
      () => ({ text: 'It is known.' }),
    ),
  })
  const inner = (await providerFor('chat', provider).getModel('strict')) as Model
  const make = (more: object) =>
    new Agent({ model: withCompaction(inner, { limits }), tools: [readFileTool], modelSettings: { maxTokens: 500 }, name: 'first', ...more })
  const second = make({ name: 'second' })
  const result = await new Runner().run(make({ handoffs: [second] }), [...history, question], { maxTurns: 8 })
  expect(result.finalOutput).toBe('It is known.')
  expect(refusals(provider)).toEqual([])
  expect(provider.requests.at(-1)?.prompt.some(isAnswer)).toBe(true)
})

it('another client, which may be of another account, and another storage remember for themselves', async () => {
  const provider = await start({
    model: () => ({ text: 'ok', calls: [] }),
    refusesTools: (tools) => (tools.includes(name) ? `Invalid tool: ${name} is not supported` : undefined),
  })
  const [storage, inner] = [memoryStorage(), providerFor('chat', provider)]
  for (const own of [storage, memoryStorage(), storage]) await ask(withCompaction(inner, { limits, storage: own }))
  expect(offered(provider)).toEqual([true, false, true, false, false])
  await ask(withCompaction(providerFor('chat', provider), { limits, storage }))
  expect(offered(provider).slice(5)).toEqual([true, false])
})
