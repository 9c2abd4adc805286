import { createCompactor, createToolOutputStore, memoryStorage, neutralCodec, type ToolOutputStore } from '@precis/core'
import { call, history, result, user } from '@precis/testkit'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { flat, output, toolOf } from './setup.ts'

describe('tool_output_cache_grep', () => {
  it('shows every match in its surroundings, however long the line', async () => {
    await fc.assert(
      fc.asyncProperty(output, fc.nat(), fc.integer({ min: 1, max: 5 }), async (given, place, limit) => {
        const text = flat(given)
        const whole = [...text]
        const at = whole.slice(0, place % (whole.length + 1)).join('').length
        const planted = `${text.slice(0, at)}E4711-ledger${text.slice(at)}`
        const store = createToolOutputStore(memoryStorage())
        const { id } = await store.save(planted)
        const answer = await toolOf(store.tools(), 'tool_output_cache_grep').execute({ ref_id: id, pattern: 'E\\d+-ledger', limit })
        const line = planted.slice(planted.lastIndexOf('\n', at - 1) + 1, planted.indexOf('\n', at) < 0 ? undefined : planted.indexOf('\n', at))
        const inLine = line.indexOf('E4711-ledger')
        expect(answer).toContain(line.slice(Math.max(0, inLine - 100), inLine + 112))
      }),
      { numRuns: 100 },
    )
  })
  it('goes on where the limit stopped, and comes to all matches', async () => {
    const text = Array.from({ length: 300 }, (_, at) => `needle${at} ${'hay '.repeat(at % 7 === 0 ? 300 : 3)}`).join('')
    const store = createToolOutputStore(memoryStorage())
    const { id } = await store.save(`${text}\n${text}`)
    const grep = toolOf(store.tools(), 'tool_output_cache_grep')
    const seen = new Set<string>()
    let input: object | undefined = { offset: 1 }
    for (let calls = 0; input !== undefined; calls++) {
      expect(calls).toBeLessThan(200)
      const answer: string = await grep.execute({ ref_id: id, pattern: 'needle\\d+ ', limit: 7, ...input })
      for (const [, number, shown] of answer.matchAll(/^ *(\d+)(?::\d+)?\t(.*)$/gm))
        for (const [name] of (shown ?? '').matchAll(/needle\d+ /g)) seen.add(`${number} ${name}`)
      const next = /go on with offset (\d+)(?:, column (\d+))?\]$/.exec(answer)
      input = next === null ? undefined : { offset: Number(next[1]), column: Number(next[2] ?? 1) }
    }
    expect(seen.size).toBe(600)
  })
})

describe('a one-line JSON of 131 kB', () => {
  const document = JSON.stringify({
    generated: '2026-11-02',
    items: Array.from({ length: 1_900 }, (_, at) => ({
      id: `item-${at}`,
      price: at * 7,
      note: at === 1_111 ? 'E4711: ledger checksum mismatch' : 'nothing to say about it here',
    })),
  })
  const session = async (outputs?: ToolOutputStore) => {
    const compactor = createCompactor({
      codec: neutralCodec,
      limits: { contextWindow: 40_000, maxOutput: 500 },
      policy: { prune: { view: { when: 'arrival' } } },
      ...(outputs && { outputs }),
    })
    const source = history(user('Read the prices.'), call('fetch', 'f', {}), result('f', document), user('Which item is wrong?'))
    const { messages } = await compactor.session('s').beforeModelCall(source)
    const [part] = messages[2]?.parts ?? []
    return { view: part?.type === 'tool-result' ? part.output : '', tools: compactor.session('s').tools() }
  }
  it('is shown by its structure, with its beginning and its end', async () => {
    expect(document.length).toBeGreaterThan(100_000)
    const { view } = await session()
    expect(view).toContain('item-0')
    expect(view).toContain('item-1899')
    expect(view).toMatch(/\d+ more/)
    expect(view.length).toBeGreaterThan(2_500)
  })
  it('is searched and read where the match stands', async () => {
    const { view, tools } = await session(createToolOutputStore(memoryStorage()))
    const [ref] = /out-[0-9a-f]{16}/.exec(view) ?? []
    const found = await toolOf(tools, 'tool_output_cache_grep').execute({ ref_id: ref, pattern: 'E\\d+: ' })
    expect(found).toContain('"id":"item-1111","price":7777,"note":"E4711: ledger checksum mismatch"')
    const column = Number(/:(\d+)\t/.exec(found)?.[1])
    const read = toolOf(tools, 'tool_output_cache')
    expect(await read.execute({ ref_id: ref, offset: 1, column })).toContain('item-1112')
    expect(await read.execute({ ref_id: ref, path: '/items/1111' })).toContain('ledger checksum mismatch')
    expect(await read.execute({ ref_id: ref, path: '/items', offset: 1_112, limit: 1 })).toContain('ledger checksum mismatch')
    expect(await read.execute({ ref_id: ref, path: '/positions' })).toContain('there: "generated", "items"')
  })
})
