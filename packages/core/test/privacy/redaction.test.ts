import { fakeExporter } from '@precis/testkit'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  createArchive,
  createEmitter,
  createRedactor,
  createToolOutputStore,
  type Message,
  memoryStorage,
  personalRules,
  secretRules,
} from '../../src/index.ts'

// The corpus with recall and precision: `npm run evals -- redaction`. Secrets are put together here, so that this file sets off nobody's alarm.
const redact = createRedactor()
const key = `AKI${'A'}IOSFODNN7EXAMPL2`
const token = `gh${'p'}_${'a1B2'.repeat(9)}`
const clock = { now: () => 0, id: () => 'id' }

describe('a redactor', () => {
  it('gives the same secret the same tag, different ones different tags, and tells nothing without its salt', () => {
    const [first, second, third] = redact(`${key} ${key} ${key.replace('7', '8')}`).split(' ')
    expect(first).toBe(second)
    expect(third).not.toBe(first)
    const salted = (salt: string) => createRedactor(secretRules, { salt })(key)
    expect(salted('one')).toBe(salted('one'))
    expect(salted('one')).not.toBe(salted('two'))
  })
  it('is idempotent on whatever it wrote, in any order and surroundings', () => {
    const pieces = fc.constantFrom(
      key,
      token,
      'password="hunter2hunter2"',
      'api_key=a1b2c3d4e5f6g7',
      ' ',
      '\n',
      '[',
      ']',
      ':',
      '"',
      '=',
      'plain words',
      '{"a":1}',
      'é🚀',
    )
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 12 }), (list) => {
        const once = redact(list.join(''))
        expect(redact(once)).toBe(once)
      }),
      { numRuns: 500 },
    )
  })
  it('keeps JSON what it is, escaped JSON too', () => {
    const inner = JSON.stringify({ password: 'hunter2hunter2', token, list: [key], quote: 'say "hi"' })
    for (const text of [inner, JSON.stringify({ body: inner }), JSON.stringify(JSON.stringify({ body: inner }))]) {
      const hidden = redact(text)
      expect(() => JSON.parse(hidden)).not.toThrow()
      for (const secret of ['hunter2hunter2', token, key]) expect(hidden).not.toContain(secret)
    }
  })
  it('takes functions, own rules, and the rules for persons', () => {
    const own = createRedactor([
      ...secretRules,
      ...personalRules,
      { tag: 'customer', pattern: /\bACME-\d+\b/g },
      (text) => text.replaceAll('Zeta', '[project]'),
    ])
    const hidden = own(`${key} kim@ledger.dev +49 30 901820 ACME-12 Zeta`)
    expect(hidden.replace(/:[0-9a-f]{6}/g, '')).toBe('[aws-key] [email] [phone] [customer] [project]')
    expect(redact('kim@ledger.dev')).toBe('kim@ledger.dev')
  })
})

it.each([
  ['grep in color', 'a.env:\u001b[01;31m\u001b[K', '\u001b[m\u001b[K'],
  ['the same, printed', 'a.env:\\x1b[01;31m\\033[K', '\\e[m'],
  ['the same, in JSON', '{"out":"a.env:\\u001b[01;31m\\u001b[K', '\\u001b[m\\u001b[K"}'],
  ['a line written over', '\u001b[2K\u001b[1G', '\n'],
  ['one of sixteen million colors', '\u001b[1;38;2;255;255;255m', '\u001b[0m'],
  ['colors that end, as tput ends them', '\u001b(B\u001b[m', '\n'],
  ['a cursor that is hidden', '\u001b[?25l', '\u001b[?25h'],
])('a token behind what a terminal is told is found: %s', (_, before, after) => {
  const token = `gh${'p'}_Ab3dEf6hIj9lMn2pQr5tUv8xYz1bCd4fGh7j`
  expect(redact(before + token + after)).not.toContain(token.slice(4))
})

it.each(['GET /items?key\\u003d', 'a\\u0026', '\\u003cb\\u003e', 'a\\u{3d}', 'a\\u{1f511}'])(
  'a token behind %s is found, though it begins with what could be digits',
  (before) => {
    const tokens = [
      `ey${'J'}hbGciOiJIUzI1NiJ9.ey${'J'}zdWIiOiIxMjM0In0.a1B2c3D4e5F6g7H8i9J0k1L2m3N4`,
      `AKI${'A'}Z7QWERTYUIOPASDF`,
      `AIz${'a'}SyA1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q`,
    ]
    for (const token of tokens) expect(redact(`${before}${token}\\u0026page\\u003d2`)).not.toContain(token.slice(6))
  },
)

describe('borders', () => {
  it('a secret that lies across two pieces of a stream is found', async () => {
    for (const offset of [5, 12, 19]) {
      const storage = memoryStorage()
      const outputs = createToolOutputStore(storage, { redact })
      const text = `${'x'.repeat(1_000_000 - offset)} ${key} and ${'y'.repeat(1_200_000)}`
      await outputs.save((async function* () { for (let at = 0; at < text.length; at += 333_333) yield text.slice(at, at + 333_333) })()) // biome-ignore format: one line
      let stored = ''
      for await (const name of storage.list('outputs/')) if (name.endsWith('.txt')) stored += (await storage.get(name))?.body
      expect(stored).not.toContain(key)
      expect(stored).toMatch(/\[aws-key:[0-9a-f]{6}\]/)
      expect(stored.length).toBeGreaterThan(2_000_000)
    }
  })
  it('a secret that lies across two parts of a message is found, and the parts stay two', async () => {
    const storage = memoryStorage()
    const parts = [
      { type: 'text' as const, text: `use ${key.slice(0, 9)}` },
      { type: 'text' as const, text: `${key.slice(9)} for it` },
    ]
    const messages: Message[] = [{ role: 'user', parts }]
    await createArchive(storage).saveTranscript('s', messages, messages)
    const {
      messages: [stored],
    } = await createArchive(storage).read('s')
    expect(stored?.parts).toHaveLength(2)
    expect(JSON.stringify(stored)).not.toContain(key.slice(9))
    expect(
      stored?.parts
        .map((part) => ('text' in part ? part.text : ''))
        .join('')
        .replace(/:[0-9a-f]{6}/, ''),
    ).toBe('use [aws-key] for it')
  })
})

describe('events', () => {
  it('texts leave only under names on the list, cut short; numbers and flags pass', async () => {
    const exporter = fakeExporter()
    const emitter = createEmitter([exporter], clock)
    emitter.emit('s', [{ event: 'compact.finished', severity: 'info', attributes: { outcome: 'x'.repeat(999), text: 'the user said', tokens: 5, ok: true } }])
    await emitter.flush()
    expect(exporter.events[0]?.attributes).toEqual({ outcome: 'x'.repeat(200), tokens: 5, ok: true })
  })
  it('an exporter that lags is told how many events it lost', async () => {
    const seen: { event: string; attributes: Readonly<Record<string, unknown>> }[] = []
    let open = (): void => {}
    const first = new Promise<void>((resolve) => {
      open = resolve
    })
    let calls = 0
    const emitter = createEmitter([{ name: 'slow', export: async (events) => { if (calls++ === 0) await first; seen.push(...events) } }], clock) // biome-ignore format: one line
    emitter.emit('s', [{ event: 'compact.finished', severity: 'info', attributes: {} }])
    await Promise.resolve()
    await Promise.resolve()
    for (let at = 0; at < 12; at++)
      emitter.emit(
        's',
        Array.from({ length: 1_000 }, () => ({ event: 'compact.finished' as const, severity: 'info' as const, attributes: {} })),
      )
    open()
    await emitter.flush()
    const lost = seen.filter((event) => event.event === 'compact.events_dropped')
    expect(lost.map((event) => event.attributes)).toEqual([{ count: 2_000 }])
    expect(seen).toHaveLength(10_002)
  })
})
