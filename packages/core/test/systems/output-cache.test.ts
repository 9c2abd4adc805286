import { createArchive, createToolOutputStore, InvalidConfigurationError, type Message, type ModelLimits, memoryStorage, presets } from '@precis/core'
import { assistant, call, fakeStorage, fakeSummarizer, history, result, step, user } from '@precis/testkit'
import { describe, expect, it } from 'vitest'
import { codingSession, compactorWith, fileText, sessionWith, textsOf, usage } from './setup.ts'

const { outputCache } = presets
const limits = { contextWindow: 200_000, maxOutput: 2_000 }
const refIn = (text: string): string => /ref=(out-[0-9a-f]{16})/.exec(text)?.[1] ?? 'none'

describe('output cache', () => {
  it('1. stores every output whole under a reference; the model sees a view', async () => {
    const driver = memoryStorage()
    const outputs = createToolOutputStore(driver)
    const long = fileText('long', 3_000)
    const source = history(user('go'), step('read', 'a', {}, long), step('read', 'b', {}, 'small'))
    const { messages, report } = await sessionWith(outputCache, { limits, outputs }).beforeModelCall(source)
    const id = refIn(textsOf(messages))
    expect(await outputs.find(id)).toEqual({ id, byteSize: new TextEncoder().encode(long).length, lineCount: 3_000 })
    const bodies: string[] = []
    for await (const key of driver.list('')) bodies.push((await driver.get(key))?.body ?? '')
    expect(bodies.some((body) => body.includes('small'))).toBe(true)
    expect(await outputs.save('small')).toMatchObject({ byteSize: 5, lineCount: 1 })
    const lines: string[] = []
    for await (const line of outputs.lines(id)) lines.push(line.text)
    expect(lines.join('\n')).toBe(long)
    expect(report.prunedCallIds).toEqual(['a'])
    // A store that fails is no reason to name a reference that leads nowhere.
    const broken = createToolOutputStore(fakeStorage('put-throws'))
    const without = await sessionWith(outputCache, { limits, outputs: broken }).beforeModelCall(source)
    expect(textsOf(without.messages)).not.toContain('ref=')
  })

  it('2. a view: lines cut at 2,000 characters, the whole at 50 KiB, a closing note with the reference', async () => {
    const outputs = createToolOutputStore(memoryStorage())
    const source = history(
      user('go'),
      step('dom', 'a', {}, `short\n${'x'.repeat(9_000)}\nend`),
      step('log', 'b', {}, fileText('log', 4_000)),
      step('log', 'c', {}, 'ok'),
    )
    const { messages } = await sessionWith(outputCache, { limits, outputs }).beforeModelCall(source)
    const views = messages.flatMap((message) => message.parts.flatMap((part) => (part.type === 'tool-result' ? [part.output] : [])))
    expect(views[0]).toMatch(/x{2000} \[… 7000 characters\]/)
    expect(views[0]).toMatch(/ref=out-[0-9a-f]{16} …\]$/)
    expect(new TextEncoder().encode(views[1]).length).toBeLessThanOrEqual(50 * 1024)
    expect(new TextEncoder().encode(views[1]).length).toBeGreaterThan(30 * 1024)
    expect(views[1]).toMatch(/ref=out-[0-9a-f]{16} …\]$/)
    expect(views[2]).toBe('ok')
  })

  it('3. all outputs within clamp(window × 0.25, 20,000, 60,000); the oldest become placeholders with their reference', async () => {
    const outputs = createToolOutputStore(memoryStorage())
    const source = history(
      user('go'),
      ...Array.from({ length: 12 }, (_, at) => step('read', `r${at}`, { path: `f${at}` }, fileText(`f${at}`, 150))).flat(),
      user('on'),
    )
    const shownOutputs = async (contextWindow: number) => {
      const { messages, report } = await sessionWith(outputCache, { limits: { contextWindow, maxOutput: 2_000 }, outputs }).beforeModelCall(source)
      const aged = report.plan.edits.filter((edit) => edit.kind === 'aged').map((edit) => edit.callId)
      return { aged, messages }
    }
    const small = await shownOutputs(60_000) // a quarter would be 14,500: the least is 20,000
    expect(small.aged).toContain('r0')
    expect(small.aged).not.toContain('r11')
    expect(textsOf(small.messages)).toMatch(/returned 150 lines.*ref=out-[0-9a-f]{16}\]/)
    expect((await shownOutputs(400_000)).aged).toEqual([])
    const huge = history(
      user('go'),
      ...Array.from({ length: 30 }, (_, at) => step('read', `r${at}`, { path: `f${at}` }, fileText(`f${at}`, 150))).flat(),
      user('on'),
    )
    const capped = await sessionWith(outputCache, { limits: { contextWindow: 2_000_000 }, outputs }).beforeModelCall(huge)
    expect(capped.report.plan.edits.some((edit) => edit.kind === 'aged')).toBe(true)
    expect(capped.report.plan.edits.map((edit) => edit.callId)).not.toContain('r29')
  })

  it('4. the model reads by line and searches; a gigantic output is never held whole', async () => {
    const outputs = createToolOutputStore(memoryStorage())
    const ref = await outputs.save(fileText('big', 2_500))
    const [read, grep] = outputs.tools()
    expect([read?.name, grep?.name]).toEqual(['tool_output_cache', 'tool_output_cache_grep'])
    const page = (await read?.execute({ ref_id: ref.id, offset: 1_200, limit: 3 })) ?? ''
    expect(page.split('\n')).toEqual([
      "  1200\t1200: export const bigValue1199 = load('big/1199.json')",
      "  1201\t1201: export const bigValue1200 = load('big/1200.json')",
      "  1202\t1202: export const bigValue1201 = load('big/1201.json')",
      '[1298 more lines; go on with offset 1203]',
    ])
    expect(await grep?.execute({ ref_id: ref.id, pattern: 'bigValue24\\d9\\b'.replace('\\b', ' '), limit: 2 })).toBe(
      "  2410\t2410: export const bigValue2409 = load('big/2409.json')\n  2420\t2420: export const bigValue2419 = load('big/2419.json')\n[more matches; go on with offset 2430]",
    )
    expect(await grep?.execute({ ref_id: ref.id, pattern: '(a+)+$' })).toContain('groups')
    expect(await read?.execute({ ref_id: 'out-0000000000000000' })).toContain('Nothing is stored')
    expect(await read?.execute({ ref_id: '../../etc/passwd' })).toContain('Nothing is stored')

    // 64 MB in pieces of one: the driver sees only pieces, the store holds at most two.
    let largest = 0
    let total = 0
    const counting = memoryStorage()
    const watched = createToolOutputStore({
      ...counting,
      put: (key, body, options) => {
        largest = Math.max(largest, body.length)
        total += body.length
        return counting.put(key, key.endsWith('.txt') ? body.slice(0, 10) : body, options)
      },
    })
    const line = `${'0123456789'.repeat(10)}\n`
    async function* stream(): AsyncGenerator<string> {
      for (let at = 0; at < 640; at++) yield line.repeat(1_000)
    }
    const streamed = await watched.save(stream())
    expect(streamed).toMatchObject({ byteSize: 64_640_000, lineCount: 640_001 })
    expect(total).toBeGreaterThan(64_000_000)
    expect(largest).toBeLessThanOrEqual(1_000_000)
  })

  it('5. collects what nothing names any more, never what a context, a checkpoint or the archive still names', async () => {
    const driver = memoryStorage()
    const outputs = createToolOutputStore(driver)
    const archive = createArchive<Message>(driver)
    const lost = await outputs.save('an output that nobody mentions')
    const session = compactorWith(outputCache, { limits: { contextWindow: 60_000, maxOutput: 2_000 }, outputs, archive, storage: driver }).session('s')
    const source = history(
      user('go'),
      ...Array.from({ length: 12 }, (_, at) => step('read', `r${at}`, { path: `f${at}` }, fileText(`f${at}`, 150))).flat(),
      user('on'),
    )
    const { messages } = await session.beforeModelCall(source)
    const named = [...textsOf(messages).matchAll(/out-[0-9a-f]{16}/g)].map(([id]) => id)
    expect(named.length).toBeGreaterThan(0)
    expect(await outputs.gc(archive.texts())).toEqual([lost.id])
    for (const id of named) expect(await outputs.find(id)).toBeDefined()
    expect(await outputs.find(lost.id)).toBeUndefined()
  })

  it('6. usage is input + cacheWrite + cacheRead + output; threshold 0.8; an unknown limit is an error unless waived', async () => {
    const asked = history(user('hi'))
    const decided = async (counts: ReturnType<typeof usage>) => {
      const session = sessionWith(outputCache, { limits: { contextWindow: 12_000, maxOutput: 2_000 } })
      await session.beforeModelCall(asked)
      session.afterModelCall({ usage: counts })
      return session.plan([...asked, assistant('ok')]).decision.used
    }
    expect(await decided(usage(500, { cacheRead: 300, cacheWrite: 200, output: 4_000 }))).toBe(5_000)
    expect(outputCache.trigger.hard).toEqual({ fraction: 0.8 })
    // Of the window, as far as the reply leaves room; of `maxInput` where there is one.
    const hard = async (limits: ModelLimits, used: number) => {
      const estimator = { name: 'set', count: (text: string) => (text.startsWith('x') ? used - 4 : 1) }
      return sessionWith(outputCache, { limits, estimator }).plan(history(user('x'))).decision.reason
    }
    const wide = { contextWindow: 100_000, maxOutput: 10_000 }
    expect([await hard(wide, 79_999), await hard(wide, 80_000)]).toEqual(['soft', 'hard'])
    expect([await hard({ ...wide, maxInput: 50_000 }, 39_999), await hard({ ...wide, maxInput: 50_000 }, 40_000)]).toEqual(['soft', 'hard'])
    expect([await hard({ ...wide, maxOutput: 24_000 }, 76_000), await hard({ ...wide, maxOutput: 24_000 }, 76_001)]).toEqual(['soft', 'hard'])
    const unknown = compactorWith(outputCache, { limits: () => undefined }).session('s')
    await expect(unknown.beforeModelCall(asked)).rejects.toThrow(InvalidConfigurationError)
    const waived = compactorWith({ ...outputCache, trigger: { ...outputCache.trigger, unknownLimits: 'no-trigger' } }, { limits: () => undefined }).session('s')
    expect((await waived.beforeModelCall(asked)).report.outcome).toBe('unchanged')
  })

  it('7. calls that nobody answered leave the transcript of a summary; their text stays', async () => {
    const summarizer = fakeSummarizer()
    const open = history(
      codingSession({ turns: 3, steps: 2, lines: 20 }),
      user('go on'),
      call('deploy', 'open', { target: 'production' }, 'I will deploy now.'),
    )
    await sessionWith(outputCache, { limits, summarizer }).handoff(open)
    const prompt = summarizer.requests.map((request) => request.prompt).join('\n')
    expect(prompt).toContain('I will deploy now.')
    expect(prompt).not.toContain('calls deploy')
    const silent = history(codingSession({ turns: 3, steps: 2, lines: 20 }), call('deploy', 'open', { target: 'production' }))
    const other = fakeSummarizer()
    await sessionWith(outputCache, { limits, summarizer: other }).handoff(silent)
    expect(other.requests[0]?.prompt).not.toContain('deploy')
  })

  it('8. one user message asks for retain and summary; neither it nor the raw answer enters the history', async () => {
    const answering = {
      name: 'retaining',
      summarize: async () => ({
        text: '<retain>\nref=out-0123456789abcdef, decision: lazy loading\n</retain>\nscratch\n<summary>The modules load lazily now.</summary>',
        finish: 'stop' as const,
      }),
    }
    const source = codingSession({ turns: 6, steps: 4, lines: 45 })
    const { messages } = await sessionWith(
      { ...outputCache, summary: { ...outputCache.summary, grounding: 'off' } },
      { limits: { contextWindow: 20_000, maxOutput: 2_000 }, summarizer: answering },
    ).beforeModelCall(source)
    const text = textsOf(messages)
    expect(text).toContain('ref=out-0123456789abcdef, decision: lazy loading')
    expect(text).toContain('The modules load lazily now.')
    expect(text).not.toMatch(/<retain>|<summary>|scratch|Answer in two blocks/)
  })

  it('9. its own model; directives as bullets; a retain prompt with directives of its own', async () => {
    const own = fakeSummarizer()
    const summary = { ...outputCache.summary, directives: ['Name the ticket.'], retain: { prompt: 'Keep the references.', directives: ['One a line.'] } }
    await sessionWith({ ...outputCache, summary }, { limits, summarizer: own }).compact(codingSession({ turns: 4, steps: 3, lines: 20 }))
    const prompt = own.requests[0]?.prompt ?? ''
    expect(prompt).toContain('- Name the ticket.')
    expect(prompt).toMatch(/<retain>…<\/retain>[\s\S]*Keep the references\.\n- One a line\./)
    await sessionWith({ ...outputCache, summary: { ...summary, retain: null } } as never, { limits, summarizer: own }).compact(
      codingSession({ turns: 4, steps: 3, lines: 20 }),
    )
    expect(own.requests[1]?.prompt).not.toContain('<retain>')
  })

  it('10. the new context is retain, summary and the last turn; a buffer rebuilt from it equals it', async () => {
    const source = codingSession({ turns: 6, steps: 4, lines: 45 })
    const session = sessionWith(outputCache, { limits: { contextWindow: 30_000, maxOutput: 2_000 } })
    const { messages } = await session.beforeModelCall(source)
    const lastRequest = source.findLastIndex((message) => message.role === 'user')
    expect(messages.slice(-(source.length - lastRequest))).toEqual(source.slice(lastRequest))
    expect(messages.filter((message) => textsOf([message]).startsWith('<context-summary'))).toHaveLength(1)
    // A host that keeps a buffer of its own and carries the context on gets the same context back.
    const carried = await session.beforeModelCall([...messages, assistant('next')])
    expect(carried.messages.slice(0, messages.length)).toEqual(messages)
  })

  it('11. looks after each call, after tools with the last usage, and once before the end', async () => {
    const session = sessionWith(outputCache, { limits: { contextWindow: 40_000, maxOutput: 2_000 } })
    const call0 = { overhead: { system: 2_500 } }
    const asked = history(user('go'), call('read', 'a', { path: 'a' }))
    await session.beforeModelCall(asked.slice(0, 1), call0)
    session.afterModelCall({ usage: usage(3_000, { output: 500 }) })
    const afterTools = [...asked, result('a', fileText('a', 250), { tool: 'read' })]
    // The last usage plus what tools added since: the estimate of the whole is not asked again.
    const { used } = session.plan(afterTools, call0).decision
    expect(used).toBeGreaterThan(3_000 + 4_500)
    const ended = [...afterTools, assistant('done')]
    expect((await session.beforeModelCall(ended, call0)).report.plan.decision.used).toBeGreaterThanOrEqual(used)
  })
})
