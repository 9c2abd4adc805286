import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { OpenAIProvider } from '@openai/agents'
import { aisdk } from '@openai/agents-extensions/ai-sdk'
import { withCompaction } from '@precis/openai-agents'
import { recallModel } from '@precis/testkit'
import { afterEach, describe, expect, it } from 'vitest'
import { vaultScenario } from '../../vaults.ts'
import { ask, close, finds, limits, look, name, offered, refusals, scripted, start, wrap } from './setup.ts'

afterEach(close)

describe('what the framework sees', () => {
  it.each(['chat', 'responses'] as const)(
    'over %s a stream flows: words before a look-up pass at once, nothing of it is in raw events, and no number comes twice',
    async (wire) => {
      const provider = await start({
        model: scripted(
          () => ({ text: 'Let me see. ', calls: [look()] }),
          () => ({ text: 'There it is.' }),
        ),
      })
      const { events, text } = await ask(wrap(wire, provider), { stream: true })
      expect(text).toMatch(/There it is\.$/)
      const data = events.flatMap((event) => (event.data === undefined ? [] : [event.data]))
      expect(
        data
          .filter(({ type }) => type === 'output_text_delta')
          .map((one) => (one as { delta?: string }).delta)
          .join(''),
      ).toBe('Let me see. There it is.')
      expect(data.filter(({ type }) => type === 'response_started')).toHaveLength(1)
      expect(data.filter(({ type }) => type === 'response_done')).toHaveLength(1)
      const raw = data.flatMap(({ event }) => (event === undefined ? [] : [event])) as {
        type?: string
        sequence_number?: number
        output_index?: number
        item?: object
      }[]
      expect(JSON.stringify(raw)).not.toMatch(/precis_recall|"function_call|"tool_calls"/)
      const numbers = raw.flatMap(({ sequence_number: number }) => number ?? [])
      expect(numbers).toEqual([...numbers].toSorted((a, b) => a - b))
      expect(new Set(numbers).size).toBe(numbers.length)
      const begun = raw.flatMap(({ type, output_index: index }) => (type === 'response.output_item.added' ? [index] : []))
      expect(new Set(begun).size).toBe(begun.length)
    },
  )
  it.each((['chat', 'responses'] as const).flatMap((wire) => [false, true].map((stream) => [wire, stream] as const)))(
    'words of two rounds are two paragraphs, and the next request has each as it was said: %s, streamed: %s',
    async (wire, stream) => {
      const provider = await start({
        window: 200_000,
        model: scripted(
          () => ({ text: 'Let me see.', calls: [look()] }),
          () => ({ text: 'There it is.' }),
          () => ({ text: 'Goodbye.' }),
        ),
      })
      const models = wrap(wire, provider)
      const { text, history, events } = await ask(models, { stream })
      // Without thoughts the SDK takes the last text alone.
      expect(text).toBe(wire === 'chat' ? 'There it is.' : 'Let me see.\n\nThere it is.')
      const deltas = events.flatMap(({ data }) => (data?.type === 'output_text_delta' ? [(data as { delta?: string }).delta] : []))
      expect(deltas.join('')).toBe(stream ? 'Let me see.\n\nThere it is.' : '')
      expect((await ask(models, { input: [...history, { role: 'user', content: 'Thanks.' }] })).text).toBe('Goodbye.')
      const sent = provider.requests.at(-1)?.prompt.map((entry) => entry.text) ?? []
      expect(sent.filter((one) => one.includes('There it is.'))).toEqual(['There it is.'])
      expect(sent.filter((one) => one.includes('Let me see.'))).toEqual([expect.not.stringContaining('Let me see.\n\n')])
      expect(refusals(provider)).toEqual([])
    },
  )
  it('no round is begun after half of the time that the agent gives a call', async () => {
    const slow = recallModel(vaultScenario, { looksUp: name })
    const provider = await start({
      model: (prompt, declared) => {
        const until = performance.now() + 600
        while (performance.now() < until);
        return slow(prompt, declared)
      },
    })
    await ask(wrap('chat', provider), { agent: { modelSettings: { timeoutMs: 5_000 } } })
    const patient = offered(provider).length
    const hasty = await start({
      model: (prompt, declared) => {
        const until = performance.now() + 600
        while (performance.now() < until);
        return slow(prompt, declared)
      },
    })
    await ask(wrap('chat', hasty), { agent: { modelSettings: { timeoutMs: 1_150 } } }).catch(() => undefined)
    expect([patient, hasty.requests.at(-1)?.prompt.at(-1)?.text]).toEqual([2, expect.stringContaining('No more look-ups')])
  })
  it.each([false, true])('a model of another kind, through aisdk(); streamed: %s', async (stream) => {
    const provider = await start({ model: scripted(() => ({ text: 'Hm. ', calls: [look()] }), finds) })
    const inner = aisdk(createOpenAICompatible({ name: 'strict', baseURL: provider.url, apiKey: 'none', includeUsage: true })('strict') as never)
    const { text, events, turns } = await ask({ getModel: () => withCompaction(inner, { limits }) }, { stream })
    expect([text, turns, provider.requests.length]).toEqual(['found', 1, 2])
    expect(JSON.stringify(events.filter(({ data }) => data?.event !== undefined))).not.toContain(name)
    expect(refusals(provider)).toEqual([])
  })
  it('what is neither a provider nor a model is refused with what to write', () => {
    expect(() => withCompaction({})).toThrow(/model is .*expected a provider such as new OpenAIProvider\(\)/)
    const misspelt = { sessionId: 'a' } as object
    expect(() => withCompaction(new OpenAIProvider({ apiKey: 'none' }), misspelt)).toThrow(/unknown option "sessionId"; write session/)
    expect(() => withCompaction(new OpenAIProvider({ apiKey: 'none' }), { recall: 'yes' as never })).toThrow(
      /recall is "yes"; write "on", "asked", "tool" or "off"/,
    )
  })
})
