import { createToolOutputStore, memoryStorage } from '@precis/core'
import { fakeStorage } from '@precis/testkit'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { safePattern } from '../../../src/privacy/safe-pattern.ts'

describe('safePattern', () => {
  it.each([
    ['abc', 'xabcx', true],
    ['^abc$', 'abc', true],
    ['^abc$', 'xabc', false],
    ['a.c', 'abc', true],
    ['a\\.c', 'abc', false],
    ['colou?r', 'color', true],
    ['ab*c', 'abbbbc', true],
    ['ab+c', 'ac', false],
    ['[A-C]\\d+', 'x B42', true],
    ['[^0-9]', '123', false],
    ['error|warning', 'a warning here', true],
    ['a|', '', true],
    ['\\S+@\\w+\\.com', 'mail me@example.com now', true],
    ['\\|', 'a|b', true],
    ['$', 'anything', true],
    ['x*', '', true],
  ])('%s on %j: %s', (pattern, line, expected) => {
    expect(safePattern(pattern)(line)).toBe(expected)
  })
  it('ignores case where it is told to', () => {
    expect(safePattern('ERROR [a-f]+', { ignoreCase: true })('error DEAD')).toBe(true)
    expect(safePattern('ERROR')('error')).toBe(false)
  })
  it.each(['(a)', 'a{3}', '*a', '[abc', '\\1', 'a'.repeat(600)])('says what it does not support: %s', (pattern) => {
    expect(() => safePattern(pattern)).toThrow(/not supported|at most/)
  })
  it('agrees with the language’s own engine on what both understand', () => {
    const atom = fc.constantFrom('a', 'b', '.', '[ab]', '[^a]', '\\d', 'a*', 'b+', 'a?', '.*', '[ab]+')
    const pattern = fc
      .array(
        fc.array(atom, { maxLength: 5 }).map((atoms) => atoms.join('')),
        { minLength: 1, maxLength: 3 },
      )
      .map((branches) => branches.join('|'))
    const line = fc.array(fc.constantFrom('a', 'b', 'c', '1'), { maxLength: 12 }).map((letters) => letters.join(''))
    fc.assert(
      fc.property(pattern, line, (text, input) => {
        expect(safePattern(text)(input)).toBe(new RegExp(text).test(input))
      }),
      { numRuns: 2_000 },
    )
  })
  it('takes no more steps than places × characters, for the patterns that stall others', () => {
    let steps = 0
    const line = 'a'.repeat(20_000)
    const counted = new Proxy(new String(line), {
      get(target, name) {
        if (name === 'charCodeAt') {
          return (at: number) => {
            steps++
            return line.charCodeAt(at)
          }
        }
        const value = Reflect.get(target, name) as unknown
        return typeof value === 'function' ? value.bind(target) : value
      },
    }) as unknown as string
    expect(safePattern(`${'a*'.repeat(20)}b`)(counted)).toBe(false)
    expect(steps).toBeLessThanOrEqual(line.length + 1)
  })
})

describe('the tool-output store', () => {
  it('gives back what it was given, whatever the pieces', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.string({ unit: 'grapheme', maxLength: 40 }), { maxLength: 20 }), fc.integer({ min: 1, max: 25 }), async (chunks, offset) => {
        const store = createToolOutputStore(memoryStorage())
        async function* stream(): AsyncGenerator<string> {
          yield* chunks
        }
        const whole = chunks.join('\n')
        const [byText, byStream] = [await store.save(whole), await store.save(stream())]
        expect(byText.byteSize).toBe(new TextEncoder().encode(whole).length)
        expect(byText.lineCount).toBe(whole.split('\n').length)
        for (const [ref, text] of [
          [byText, whole],
          [byStream, chunks.join('')],
        ] as const) {
          const lines: string[] = []
          for await (const line of store.lines(ref.id, offset)) lines.push(line.text)
          expect(lines).toEqual(text.split('\n').slice(offset - 1))
        }
      }),
      { numRuns: 200 },
    )
  })
  it('numbers lines across pieces, and inside a line that is longer than a piece', async () => {
    const store = createToolOutputStore(memoryStorage())
    const text = `${'x'.repeat(1_500_000)}\n${Array.from({ length: 60_000 }, (_, at) => `line ${at} of many, some way into the text`).join('\n')}`
    const ref = await store.save(text)
    const [read, grep] = store.tools()
    expect(await read?.execute({ ref_id: ref.id, offset: 50_002, limit: 1 })).toBe(
      ` 50002\tline 50000 of many, some way into the text\n[9999 more lines; go on with offset 50003]`,
    )
    expect(await grep?.execute({ ref_id: ref.id, pattern: '^line 59999 ' })).toBe(' 60001\tline 59999 of many, some way into the text')
    expect(await read?.execute({ ref_id: ref.id, offset: 1, limit: 1 })).toContain('[… 1498000 more characters; go on with offset 1, column 2001]')
    expect(await read?.execute({ ref_id: ref.id, offset: 70_000 })).toContain('there is no line 70000')
  })
  it('the same text is stored once', async () => {
    const driver = memoryStorage()
    let writes = 0
    const store = createToolOutputStore({
      ...driver,
      put: async (...args) => {
        writes++
        return driver.put(...args)
      },
    })
    const [one, two] = [await store.save('same'), await store.save('same')]
    expect(one).toEqual(two)
    expect(writes).toBe(2) // one piece, one manifest
    expect(await createToolOutputStore(driver).save('same')).toEqual(one)
  })
  it('is redacted before it is written', async () => {
    const driver = memoryStorage()
    const store = createToolOutputStore(driver, { redact: (text) => text.replaceAll('hunter2', '[password:1]') })
    const ref = await store.save('password hunter2')
    for await (const key of driver.list('')) expect((await driver.get(key))?.body).not.toContain('hunter2')
    expect(await store.find(ref.id)).toBeDefined()
  })
  it('what was only half written was never there', async () => {
    const driver = memoryStorage()
    let left = 1
    const dying = createToolOutputStore({ ...driver, put: async (...args) => (left-- > 0 ? driver.put(...args) : Promise.reject(new Error('killed'))) })
    await expect(dying.save('text')).rejects.toThrow('killed')
    const store = createToolOutputStore(driver)
    const ref = await createToolOutputStore(memoryStorage()).save('text')
    expect(await store.find(ref.id)).toBeUndefined()
    expect(await store.save('text')).toEqual(ref)
  })
  it('stops where it is told to, and passes a failure of the storage on', async () => {
    const stop = new AbortController()
    stop.abort(new Error('stop'))
    await expect(createToolOutputStore(memoryStorage()).save('x', { signal: stop.signal })).rejects.toThrow('stop')
    await expect(createToolOutputStore(fakeStorage('put-throws')).save('x')).rejects.toThrow('put failed')
  })
  it('forgets with its storage what another process stored first', async () => {
    const storage = memoryStorage()
    const [one, other] = [createToolOutputStore(storage), createToolOutputStore(storage)]
    const { id } = await one.save('line\n'.repeat(1_000))
    expect((await other.save('line\n'.repeat(1_000))).id).toBe(id)
    for await (const key of storage.list('outputs/')) await storage.delete(key)
    expect(await other.find(id)).toBeUndefined()
  })
})
