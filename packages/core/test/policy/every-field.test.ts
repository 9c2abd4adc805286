import { type CompactionPolicy, createCompactor, lexicalEmbedder, type Message, mergePolicy, neutralCodec, presets } from '@precis/core'
import { assistant, call, fakeClock, fakeSummarizer, history, image, result, step, user } from '@precis/testkit'
import { describe, expect, it } from 'vitest'
import { codingSession, fileText } from '../systems/setup.ts'

/** A copy of a policy that notes which of its fields are read. */
function watched(policy: CompactionPolicy, read: Set<string>): CompactionPolicy {
  const wrap = (value: unknown, path: string): unknown =>
    typeof value !== 'object' || value === null
      ? value
      : new Proxy(value, {
          get(target, name, receiver) {
            const inner = Reflect.get(target, name, receiver) as unknown
            if (typeof name !== 'string' || (Array.isArray(target) && !/^\d+$/.test(name))) return inner
            const own = path === '' ? name : `${path}.${name}`
            read.add(own)
            return wrap(inner, own)
          },
        })
  return wrap(policy, '') as CompactionPolicy
}

function leaves(value: unknown, path = ''): readonly string[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [path]
  return Object.entries(value).flatMap(([name, inner]) => leaves(inner, path === '' ? name : `${path}.${name}`))
}

const everyRung = mergePolicy(presets.balanced, {
  trigger: {
    hard: { fraction: 0.5 },
    target: { fraction: 0.2 },
    emergency: { fraction: 0.99 },
    count: ['input', 'output'],
    request: { bytes: 50_000, media: 3 },
    background: true,
  },
  retain: { semantic: { clusters: 2, tokens: { tokens: 300 } } },
  prune: {
    ladder: ['superseded', 'errors', 'arguments', 'aged', 'output-budget', 'media', 'view', 'condensed'],
    maintain: ['media'],
    view: { bytes: 40_000, when: 'arrival' },
    age: { protect: { tokens: 100 }, minimum: { tokens: 0 } },
    outputBudget: { least: 500, most: 800 },
    arguments: { tokens: 20, steps: 0 },
    errors: { steps: 0 },
    condense: { tokens: 60, steps: 0 },
    tools: { 'r*': { keep: 'prunable', shape: 'head-tail', reproducible: false, pinned: false } },
  },
  summary: {
    retain: { prompt: 'refs', directives: ['short'] },
    protectedFields: ['ticket'],
    request: 'prefix',
    continuation: 'Go on.',
    role: 'assistant',
    directives: ['x'],
  },
  cost: { prices: { input: 3, cacheRead: 0.3, cacheWrite: 3.75, output: 15 }, payback: 100 },
})

const varied = (turns: number): readonly Message[] =>
  history(
    codingSession({ turns, steps: 3, lines: 40 }),
    image(),
    image(),
    call('write_file', 'w', { path: 'a.ts', content: 'x '.repeat(2_000) }),
    result('w', 'failed', { tool: 'write_file', isError: true }),
    step('read_file', 'again', { path: 'src/module0/part0.ts' }, fileText('m0p0', 40)),
    assistant('ticket: OPS-1'),
    user('go on'),
    step('run', 'last', { command: 'x' }, fileText('last', 20)),
  )

describe('every field of a policy', () => {
  it('is read by something', async () => {
    const read = new Set<string>()
    const policy = watched(everyRung, read)
    const failing = { ...fakeSummarizer('no-sections', 3), ridesPrefix: true }
    // createCompactor copies a policy when it merges; the proxies survive in its values.
    const compactor = createCompactor({
      codec: neutralCodec,
      limits: { contextWindow: 12_000, maxOutput: 2_000 },
      clock: fakeClock(),
      policy: policy as never,
      embedder: lexicalEmbedder(),
      summarizer: failing,
      tools: { run: { shape: 'generic' } },
    })
    const session = compactor.session('s')
    await session.beforeModelCall(varied(1))
    session.afterModelCall({ usage: { input: 4_000, cacheRead: 0, cacheWrite: 0, output: 50 } })
    await session.beforeModelCall(varied(2)).catch(() => {})
    await session.compact(varied(6), { focus: 'all' })
    await session.beforeModelCall(varied(12)).catch(() => {})
    const unread = leaves(everyRung).filter((path) => !read.has(path))
    expect(unread).toEqual([])
  })

  it('changes something: each of these differs from the default in what is sent, asked or reported', async () => {
    const limits = { contextWindow: 36_000, maxOutput: 2_000 }
    const outcome = async (policy: CompactionPolicy): Promise<string> => {
      const summarizer = { ...fakeSummarizer(), ridesPrefix: true }
      const session = createCompactor({ codec: neutralCodec, limits, clock: fakeClock(), policy, summarizer, embedder: lexicalEmbedder() }).session('s')
      const source = varied(6)
      const early = await session.beforeModelCall(source.slice(0, 9))
      session.afterModelCall({ usage: { input: 1_900, cacheRead: 0, cacheWrite: 400, output: 900 } })
      const { messages, report } = await session.beforeModelCall(source)
      return JSON.stringify({
        messages,
        report,
        early: early.report,
        requests: summarizer.requests.map(({ prompt, prefix, maxTokens }) => [prompt, prefix?.length, maxTokens]),
      })
    }
    const base = mergePolicy(everyRung, {
      trigger: { emergency: null, background: false, request: null },
      prune: { maintain: [] },
      retain: { semantic: null },
      summary: { request: 'serialized' },
      cost: { payback: null },
    })
    const standard = await outcome(base)
    const changes: readonly Parameters<typeof mergePolicy>[1][] = [
      { trigger: { auto: false } },
      { trigger: { hard: { fraction: 0.99 } } },
      { trigger: { target: { fraction: 0.1 } } },
      { trigger: { emergency: { fraction: 0.5 } } },
      { trigger: { count: ['input', 'cacheWrite', 'output'] } },
      { trigger: { accounting: 'calibrated' } },
      { trigger: { outputCap: 500 } },
      { trigger: { media: { image: 100 } } },
      { trigger: { request: { media: 1 } } },
      { retain: { turns: 0 } },
      { retain: { tokens: { tokens: 200 } } },
      { retain: { userRequests: { tokens: 0 } } },
      { retain: { newestRequest: { tokens: 0 } } },
      { retain: { roles: [] } },
      { prune: { ladder: [] } },
      { prune: { view: { tokens: 200 } } },
      { summary: { author: 'record' } },
      { summary: { author: 'notice' } },
      { summary: { style: 'code-delta' } },
      { summary: { role: 'user' } },
      { summary: { request: 'prefix' } },
      { summary: { tokens: { tokens: 300 } } },
      { summary: { record: { tokens: 200 } } },
      { summary: { directives: ['other'] } },
      { summary: { retain: null } },
      { summary: { protectedFields: [] } },
      { summary: { continuation: null } },
      { summary: { neighbors: 'joined' } },
      { cost: { prices: { output: 1 } } },
    ]
    // These two matter only beside others.
    const late = mergePolicy(base, { trigger: { hard: { fraction: 0.99 } } })
    expect(await outcome(mergePolicy(late, { trigger: { reserve: { fraction: 0.5 } } }))).not.toBe(await outcome(late))
    const short = mergePolicy(base, { prune: { view: { tokens: 200 } } })
    expect(await outcome(mergePolicy(short, { prune: { view: { when: 'pressure' } } }))).not.toBe(await outcome(short))
    const bare = mergePolicy(base, { prune: { ladder: [] } })
    const summarized = await outcome(bare)
    for (const change of changes) {
      const own = change.retain === undefined && change.summary === undefined && change.cost === undefined
      expect(await outcome(mergePolicy(own ? base : bare, change)), JSON.stringify(change)).not.toBe(own ? standard : summarized)
    }
  })
})
