import type { WithCompactionOptions } from '@precis/ai-sdk'
import { memoryStorage } from '@precis/core'
import { afterEach, describe, expect, it } from 'vitest'
import { ask, asked, close, look, name, names, offered, refusals, scripted, start, vault, wrap } from './setup.ts'

afterEach(close)

describe.each<readonly [string, () => WithCompactionOptions]>([
  ['without a storage', () => ({})],
  [
    'with a storage',
    () => {
      const storage = memoryStorage()
      return { storage }
    },
  ],
])('a model that is wrapped anew for each request, %s', (_, optionsOf) => {
  it.each(names)('shows a round where it was asked for, through %s: what was sent before is cached', async (wire) => {
    const provider = await start({
      model: scripted(
        () => ({ calls: [look()] }),
        () => ({ text: 'It is known.' }),
      ),
    })
    const options = optionsOf()
    const first = await ask(wrap(wire, provider, options))
    const next = [...asked(), ...first.response.messages, { role: 'user' as const, content: 'And what else?' }]
    await ask(wrap(wire, provider, options), next)
    expect(refusals(provider)).toEqual([])
    const [, before, after] = provider.requests
    expect(after?.prompt.some(({ isResult, text }) => isResult === true && text.includes(vault.code))).toBe(true)
    expect(after?.cachedTokens).toBeGreaterThan((before?.inputTokens ?? Infinity) * 0.95)
  })
  it('is refused our tool once', async () => {
    const provider = await start({
      model: () => ({ text: 'ok', calls: [] }),
      refusesTools: (tools) => (tools.includes(name) ? `Invalid tool: ${name} is not supported` : undefined),
    })
    const options = optionsOf()
    for (const _ of [1, 2, 3]) await ask(wrap('chat', provider, options))
    expect(offered(provider)).toEqual([true, false, false, false])
  })
})

it('another model, and another storage, remember for themselves', async () => {
  const provider = await start({
    model: () => ({ text: 'ok', calls: [] }),
    refusesTools: (tools) => (tools.includes(name) ? `Invalid tool: ${name} is not supported` : undefined),
  })
  const storage = memoryStorage()
  await ask(wrap('chat', provider, { storage }))
  await ask(wrap('chat', provider, { storage: memoryStorage() }))
  await ask(wrap('responses', provider, { storage }))
  expect(offered(provider)).toEqual([true, false, true, false, true, false])
})
