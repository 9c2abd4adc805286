import {
  createArchive,
  createCompactor,
  createToolOutputStore,
  type Message,
  memoryStorage,
  neutralCodec,
  type ToolDefinition,
  type ToolOutputStore,
} from '@precis/core'
import { assistant, call, history, result, user } from '@precis/testkit'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

// Nothing is out of reach: from a reference, and from the number of a message, every character can be had with the tools that the model is offered.

const toolOf = (tools: readonly ToolDefinition[], name: string): ToolDefinition => tools.find((tool) => tool.name === name) as ToolDefinition

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

const letters = fc.string({ unit: fc.constantFrom('a', 'B', '7', ' ', '{', '"', '\\', 'é', '語', '🙂', '[', ']'), maxLength: 40 })
/** Lines that may be very long, as JSON and minified code are. */
const line = fc.tuple(letters, fc.integer({ min: 0, max: 4_000 })).map(([text, times]) => (text === '' ? '' : text.repeat(Math.ceil(times / text.length))))
const output = fc.array(line, { minLength: 1, maxLength: 30 }).map((lines) => lines.join('\n'))
const flat = (text: string): string => text.replace(/[\r\u2028\u2029]/g, ' ')

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

describe('recall_history', () => {
  const archived = async (source: readonly Message[]): Promise<ToolDefinition> => {
    const archive = createArchive(memoryStorage(), { redact: false })
    await archive.saveTranscript('s', source, source)
    return archive.recallTool('s', neutralCodec)
  }
  const message = async (tool: ToolDefinition, offset: number): Promise<string> => {
    let text = ''
    for (let column: number | undefined = 1; column !== undefined; ) {
      const answer: string = await tool.execute({ offset, column })
      const next: RegExpExecArray | null =
        /^([\s\S]*)\n\[(?:end of message \d+|\d+ more characters of message \d+; go on with offset \d+, column (\d+))\]$/.exec(answer)
      expect(next).not.toBeNull()
      text += next?.[1] ?? ''
      column = next?.[2] === undefined ? undefined : Number(next[2])
    }
    return text
  }
  it('leads to every character of every message', async () => {
    const texts = fc.array(output, { minLength: 1, maxLength: 6 })
    await fc.assert(
      fc.asyncProperty(texts, async (list) => {
        const source = list.flatMap((text, at) => [user(`q ${text}`), call('fetch', `c${at}`, { text }), result(`c${at}`, `r ${text}`), assistant(`a ${text}`)])
        const tool = await archived(source)
        for (const [at, { parts }] of source.entries()) {
          const shown = await message(tool, at)
          for (const part of parts) expect(shown).toContain('text' in part ? part.text : 'output' in part ? part.output : 'input' in part ? part.input : '')
        }
      }),
      { numRuns: 25 },
    )
  })
  it('shows a match in its surroundings, and where to read on', async () => {
    const long = `${'hay '.repeat(30_000)}E4711: ledger checksum mismatch${' hay'.repeat(30_000)}`
    const tool = await archived([user('go'), call('fetch', 'c', {}), result('c', long), assistant('seen'), user('on')])
    const answer = await tool.execute({ query: 'E4711' })
    expect(answer).toContain('E4711: ledger checksum mismatch hay')
    const [, offset, column] = /offset (\d+), column (\d+)/.exec(answer) ?? []
    expect(await tool.execute({ offset: Number(offset), column: Number(column) })).toContain('E4711: ledger checksum mismatch')
  })
  it('pages from message to message without passing one over', async () => {
    const source = Array.from({ length: 60 }, (_, at) =>
      at % 2 === 0 ? user(`question number ${at}. ${'word '.repeat(1_500)}`) : assistant(`answer number ${at}. ${'word '.repeat(1_500)}`),
    )
    const tool = await archived(source)
    const seen = new Set<string>()
    for (let offset: number | undefined = 0; offset !== undefined; ) {
      const answer: string = await tool.execute({ offset, limit: 100 })
      for (const [text] of answer.matchAll(/(?:question|answer) number \d+/g)) seen.add(text)
      const next: RegExpExecArray | null = /go on with offset (\d+)\]$/.exec(answer)
      offset = next === null ? undefined : Number(next[1])
    }
    expect(seen.size).toBe(60)
  })
})
