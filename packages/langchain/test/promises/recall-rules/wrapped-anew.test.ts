import { HumanMessage } from '@langchain/core/messages'
import { afterEach, describe, expect, it } from 'vitest'
import { asked, close, type Door, doorOf, name, offered, refusals, start, vault } from './setup.ts'

afterEach(close)

describe.each<Door>(['compaction()', 'withCompaction()', 'withCompaction() in a stream'])('what is made anew for each request, %s', (door) => {
  it.each(['openai', 'anthropic'] as const)('shows a round where it was asked for, through %s', async (wire) => {
    const provider = await start()
    const said = await doorOf(door, wire, provider)(asked())
    expect(said.at(-1)?.text).toBe(vault.code)
    const before = provider.requests.at(-1)?.inputTokens ?? Infinity
    await doorOf(door, wire, provider)([...asked(), ...said, new HumanMessage('And what else?')])
    expect(refusals(provider)).toEqual([])
    expect(provider.requests.at(-1)?.cachedTokens).toBeGreaterThan(before * 0.95)
  })
  it('is refused our tool once', async () => {
    const provider = await start({ refusesTools: (all) => (all.includes(name) ? 'tools: this name is not allowed here' : undefined) })
    for (const _ of [1, 2, 3]) await doorOf(door, 'openai', provider)(asked())
    expect(offered(provider)).toEqual([true, false, false, false])
  })
})
