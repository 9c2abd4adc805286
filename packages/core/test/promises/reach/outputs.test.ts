import { createToolOutputStore, memoryStorage, type ToolDefinition } from '@precis/core'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { flat, letters, output, toolOf } from './setup.ts'

/** A model that does what answers tell it: "go on with …". Collects what it is shown, line by line. */
async function readAll(tool: ToolDefinition, ref_id: string, more: object = {}): Promise<string> {
  const lines = new Map<number, string>()
  let input: Record<string, unknown> = { ref_id, ...more }
  const open: Record<string, unknown>[] = [input]
  /** Requests for the rest of one line: whoever asks for it wants no more lines. */
  const rests = new Set<object>()
  for (let calls = 0; open.length > 0; calls++) {
    expect(calls).toBeLessThan(5_000)
    input = open.shift() as Record<string, unknown>
    const isRest = rests.has(input)
    const answer = await tool.execute(input)
    expect(answer.length).toBeLessThan(60_000)
    for (const [, number, column, text] of answer.matchAll(/^ *(\d+)(?::(\d+))?\t(.*)$/gm)) {
      const hint = /^(.*) \[… \d+ more characters; go on with offset (\d+), column (\d+)\]$/.exec(text ?? '')
      const shown = hint?.[1] ?? text ?? ''
      if (hint !== null) {
        const rest = { ref_id, offset: Number(hint[2]), column: Number(hint[3]), limit: 1 }
        open.push(rest)
        rests.add(rest)
      }
      const known = lines.get(Number(number)) ?? ''
      expect(known.length).toBe(Number(column ?? 1) - 1)
      lines.set(Number(number), known + shown)
    }
    const next = /\n\[[^\n]*go on with offset (\d+)(?:, column (\d+))?\]$/.exec(answer)
    if (next !== null && (!isRest || next[2] !== undefined)) {
      const { column: _here, ...same } = input
      const following = { ...same, offset: Number(next[1]), ...(next[2] !== undefined && { column: Number(next[2]) }) }
      open.unshift(following)
      if (isRest) rests.add(following)
    }
  }
  return [...lines]
    .sort(([a], [b]) => a - b)
    .map(([, text]) => text)
    .join('\n')
}

describe('tool_output_cache', () => {
  it('leads to every character of every output', async () => {
    await fc.assert(
      fc.asyncProperty(output, fc.integer({ min: 1, max: 50 }), async (text, limit) => {
        const store = createToolOutputStore(memoryStorage())
        const { id } = await store.save(flat(text))
        expect(await readAll(toolOf(store.tools(), 'tool_output_cache'), id, { limit })).toBe(flat(text))
      }),
      { numRuns: 60 },
    )
  })
  it('leads to every character of a line that is longer than anybody holds', async () => {
    const store = createToolOutputStore(memoryStorage())
    const text = `${Array.from({ length: 420_000 }, (_, at) => `item${at}`).join(' ')}\nlast line`
    const { id } = await store.save(text)
    expect(text.length).toBeGreaterThan(4_000_000)
    const read = toolOf(store.tools(), 'tool_output_cache')
    expect(await readAll(read, id)).toBe(text)
    expect(await read.execute({ ref_id: id, offset: 1, column: text.indexOf('item400000') + 1 })).toMatch(/^ *1:\d+\titem400000 item400001/)
    const found = await toolOf(store.tools(), 'tool_output_cache_grep').execute({ ref_id: id, pattern: 'item399999 ' })
    expect(found).toContain('item399998 item399999 item400000')
  })
  it('leads by path to every value of a document', async () => {
    const leaf = fc.oneof(
      fc.string({ maxLength: 20 }),
      fc.integer(),
      fc.boolean(),
      fc.constant(null),
      letters.map((text) => text.repeat(600)),
    )
    const { document } = fc.letrec<{ document: unknown }>((tie) => ({
      document: fc.oneof(
        { maxDepth: 4 },
        leaf,
        fc.array(tie('document'), { maxLength: 6 }),
        fc.dictionary(fc.string({ unit: fc.constantFrom('a', 'b', '~', '/', ' ', 'é'), maxLength: 6 }), tie('document'), { maxKeys: 6 }),
        fc.array(letters, { minLength: 300, maxLength: 300 }),
      ),
    }))
    await fc.assert(
      fc.asyncProperty(document, async (inner) => {
        const store = createToolOutputStore(memoryStorage())
        const value = { all: inner }
        const { id } = await store.save(JSON.stringify(value))
        const read = toolOf(store.tools(), 'tool_output_cache')
        expect(await byPath(read, id, '')).toEqual(JSON.parse(JSON.stringify(value)))
      }),
      { numRuns: 100 },
    )
  })
})

/** What a model comes to know of a document that it walks by path. */
async function byPath(tool: ToolDefinition, ref_id: string, path: string): Promise<unknown> {
  let text = ''
  const entries: [string, unknown][] = []
  let isList = false
  for (let offset = 1, column = 1; ; ) {
    const answer = await tool.execute({ ref_id, path: path === '' ? '/' : path, offset, column })
    const whole = /^([\s\S]*)\n\[the whole value\]$/.exec(answer)
    if (whole !== null) return JSON.parse(whole[1] as string)
    const rest = /^([\s\S]*)\n\[(?:end of the text|\d+ more characters; go on with path .*, column (\d+))\]$/.exec(answer)
    if (rest !== null) {
      text += rest[1]
      if (rest[2] === undefined) return text
      column = Number(rest[2])
      continue
    }
    for (const entry of answer.split('\n').slice(0, -1)) {
      const at = entry.indexOf(': ', path.length)
      const [name, shown] = [entry.slice(0, at), entry.slice(at + 2)]
      const key = name
        .slice(path.length + 1)
        .replaceAll('~1', '/')
        .replaceAll('~0', '~')
      const deeper = shown.endsWith('read it by its path]')
      entries.push([key, deeper ? await byPath(tool, ref_id, name) : JSON.parse(shown)])
      isList ||= /^\d+$/.test(key)
    }
    const next = /go on with offset (\d+)\]$/.exec(answer)
    if (next === null) break
    offset = Number(next[1])
  }
  return isList && entries.every(([key], at) => key === String(at)) ? entries.map(([, value]) => value) : Object.fromEntries(entries)
}
