import { execFile } from 'node:child_process'
import { mkdtemp, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { presets } from '@precis/core'
import { generateHistory, history, step, user } from '@precis/testkit'
import { beforeAll, describe, expect, it } from 'vitest'
import { evaluate, parseTranscripts, renderEvaluations, renderPage, reportData, starterConfig } from '../src/index.ts'

let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'precis-measuring-'))
})
const path = (name: string): string => join(folder, name)
const compactctl = (args: readonly string[], env: Record<string, string> = {}): Promise<{ code: number; out: string; err: string }> =>
  new Promise((resolve) => {
    const main = join(import.meta.dirname, '../src/main.ts')
    execFile(process.execPath, ['--conditions=@precis/source', main, ...args], { env: { ...process.env, ...env } }, (error, out, err) =>
      resolve({ code: typeof error?.code === 'number' ? error.code : 0, out, err }),
    )
  })
const text = (messages: readonly unknown[]): string => messages.map((message) => JSON.stringify(message)).join('\n')
const long = generateHistory(7, { turns: 40, steps: 3, output: 2_000 })
const [transcript] = parseTranscripts(text(long), 'long')
if (transcript === undefined) throw new Error('no transcript')

describe('report', () => {
  it('counts every call, opens each compaction, and adds its regions up', async () => {
    const data = await reportData(transcript, { window: 12_000 })
    expect(data.calls.length).toBe(long.filter((message, at) => message.role === 'assistant' && at > 0).length)
    expect(data.compactions.length).toBeGreaterThan(1)
    expect(data.compactions[0]?.receipt).toMatch(/^summarized without a model \(hard\): [\d,]+ → [\d,]+ tokens.*\n.*\nregion +before → +after \(tokens\)\n/)
    expect(data.compactions.some(({ summary }) => summary.includes('<context-summary'))).toBe(true)
    for (const { tokens, regions } of data.calls) expect(Math.abs(Object.values(regions).reduce((a, b) => a + b, 0) - tokens)).toBeLessThanOrEqual(2)
    expect(data.totals.sent).toBeLessThan(data.totals.sentWithout)
    expect(data.hard).toBeGreaterThan(data.target)
    expect(data.survived.shown).toBeLessThanOrEqual(data.survived.names)
  })
  it('a hostile transcript stays text: nothing of it closes a script or opens one', async () => {
    const hostile = '</script><script>document.title="owned"</script><img src=x onerror=alert(1)> <!-- $& $1 \u2028'
    const source = history(user(hostile), ...Array.from({ length: 30 }, (_, at) => step(hostile, `c${at}`, { a: hostile }, `${hostile} line\n`.repeat(60))))
    const [one] = parseTranscripts(text(source), hostile)
    if (one === undefined) throw new Error('no transcript')
    const page = renderPage([await reportData(one, { window: 8_000 })])
    expect(page.match(/<script/g)).toHaveLength(3)
    expect(page.match(/<\/script>/g)).toHaveLength(3)
    expect(page).not.toContain('<img')
    expect(page).toContain("default-src 'none'")
    const data = JSON.parse(/id="data">(.*?)<\/script>/s.exec(page)?.[1] ?? '') as { name: string }[]
    expect(data[0]?.name).toBe(hostile)
    // Nothing is fetched: the only addresses are names of XML vocabularies.
    expect(page.match(/https?:\/\/[^\s"'<>)\\]+/g)?.filter((address) => !/w3\.org|gionkunz|chartist/.test(address)) ?? []).toEqual([])
  })
  it('compactctl writes it once, and never over something', async () => {
    await writeFile(path('long.jsonl'), text(long))
    const done = await compactctl(['report', path('long.jsonl'), '-w', '12000', '-o', path('report.html')])
    expect(done).toMatchObject({ code: 0, out: '' })
    expect(await readFile(path('report.html'), 'utf8')).toMatch(/^<!doctype html>/)
    const again = await compactctl(['report', path('none.jsonl'), '-o', path('report.html')]) // before anything is read
    expect(again.code).toBe(1)
    expect(again.err).toContain('exists already')
    expect((await compactctl(['report', path('long.jsonl')])).code).toBe(2)
  })
  it('quotes no secret', async () => {
    const secret = ['ghp', 'Ab3dE6gH9jKl2nOp5rSt8vWx1zAb3dE6gH9j'].join('_')
    const told = generateHistory(7, { turns: 40, steps: 3, output: 9_000 }).map((message) => ({
      ...message,
      parts: message.parts.map((part) => (part.type === 'tool-result' ? { ...part, output: `token: ${secret}\n${part.output}` } : part)),
    }))
    const asking = step('read_file', 'c9', { path: `/keys/${secret}` }, 'a line\n'.repeat(4_000))
    const [one] = parseTranscripts(text(history(user(`use ${secret}`), asking, told)), 'secret')
    if (one === undefined) throw new Error('no transcript')
    const data = await reportData(one, { window: 8_000 })
    expect(data.compactions.some(({ summary }) => summary.includes('[github'))).toBe(true)
    expect(JSON.stringify(data)).not.toContain(secret)
  })
  it('says which call could not be made', async () => {
    const [one] = parseTranscripts(text(history(user('word '.repeat(9_000)), step('read', 'a', {}, 'x'))), 'big')
    if (one === undefined) throw new Error('no transcript')
    const data = await reportData(one, { window: 2_000 })
    expect(data.stopped[0]).toMatchObject({ index: 1 })
    expect(data.stopped[0]?.reason).toMatch(/message/)
    expect(renderPage([data])).toContain(JSON.stringify(data.stopped).replaceAll('<', '\\u003c'))
  })
})

describe('eval', () => {
  it('a policy costs less than everything each time, and a conversation that fits says nothing', async () => {
    const found = await evaluate([transcript], [4_000, 8_000, 1_000_000], presets.balanced)
    const [small, larger, fits] = found
    expect(small?.calls).toBe(larger?.calls)
    expect(small?.compactions).toBeGreaterThan(larger?.compactions ?? 0)
    expect(small?.cost).toBeLessThan(1)
    expect(fits).toMatchObject({ conversations: 0, recall: null, skipped: { fit: 1, withoutCalls: 0 } })
    // Fair: the newest messages alone get prompts of the same size, never larger ones.
    expect(small?.promptTokens.newest).toBeLessThanOrEqual(small?.promptTokens.own ?? 0)
    expect(small?.promptTokens.newest).toBeGreaterThan((small?.promptTokens.own ?? 0) / 2)
    const said = renderEvaluations(found, 80)
    expect(said.replaceAll('\n', ' ')).toMatch(/4,000: 1 conversation with \d+ calls cost \d+ % less than sending everything each time, with \d+ compactions\./)
    expect(said.replaceAll('\n', ' ')).toContain('1,000,000: nothing to compare. Left out: 1 conversation fit the window.')
    expect(
      Math.max(
        ...said
          .split('\n')
          .slice(2)
          .map((line) => line.length),
      ),
    ).toBeLessThanOrEqual(80)
  })
  it('prints a table, or JSON', async () => {
    await writeFile(path('eval.jsonl'), text(long))
    const table = await compactctl(['eval', path('eval.jsonl'), '-w', '12000', '--preset', 'pivot'])
    expect(table.code).toBe(0)
    expect(table.out).toMatch(/window +conversations +calls/)
    for (const flag of ['-w', '--window', '--windows']) {
      const json = await compactctl(['eval', path('eval.jsonl'), flag, '12k,1M', '--json'])
      expect((JSON.parse(json.out) as { window: number }[]).map(({ window }) => window)).toEqual([12_000, 1_000_000])
    }
    expect((await compactctl(['eval', path('eval.jsonl'), '-w', 'many'])).code).toBe(2)
    expect((await compactctl(['eval', path('none.jsonl')])).err).toContain('there is no such file')
  })
})

describe('config', () => {
  it('init, validate, explain', async () => {
    const file = path('precis.yaml')
    expect((await compactctl(['config', 'init', file])).code).toBe(0)
    expect(await readFile(file, 'utf8')).toBe(starterConfig)
    expect((await compactctl(['config', 'init', file])).err).toContain('exists already')
    expect(await compactctl(['config', 'validate', file])).toMatchObject({ code: 0, out: `${file}: valid\n` })
    const explained = await compactctl(['config', 'explain', file, '--json'], { PRECIS_TARGET: '0.3' })
    const fields = JSON.parse(explained.out) as { field: string; value: unknown; from: string }[]
    const of = (name: string): unknown => fields.find(({ field }) => field === name)
    expect(of('policy.trigger.hard')).toEqual({ field: 'policy.trigger.hard', value: { fraction: 0.8 }, from: 'file' })
    expect(of('policy.trigger.target')).toEqual({ field: 'policy.trigger.target', value: { fraction: 0.3 }, from: 'environment' })
    expect(of('policy.retain.messages')).toMatchObject({ from: 'preset balanced' })
    expect(of('model.contextWindow')).toEqual({ field: 'model.contextWindow', value: 200_000, from: 'file' })
  })
  it('explain tells fields apart that are called like amounts, and lists what was removed, and the other sections', async () => {
    const file = path('explained.yaml')
    const storage = 'storage: { adapter: unstorage, driver: redis, options: { url: "redis://app:hunter2-secret@cache/0" } }'
    const prune = 'prune: { view: { tokens: 700 }, arguments: { tokens: 50 }, condense: { steps: 9 } }'
    await writeFile(file, `preset: layered\npolicy: { trigger: { soft: null, hard: { tokens: 5000 } }, ${prune} }\n${storage}\narchive: true\n`)
    const explained = await compactctl(['config', 'explain', file, '--json'], { PRECIS_ARCHIVE: '0' })
    const fields = JSON.parse(explained.out) as { field: string; value: unknown; from: string }[]
    expect(fields.filter(({ from }) => from !== 'preset layered').sort((a, b) => (a.field < b.field ? -1 : 1))).toEqual([
      { field: 'archive', value: false, from: 'environment' },
      { field: 'policy.prune.arguments.tokens', value: 50, from: 'file' },
      { field: 'policy.prune.condense.steps', value: 9, from: 'file' },
      { field: 'policy.prune.view.tokens', value: 700, from: 'file' },
      { field: 'policy.trigger.hard', value: { tokens: 5000 }, from: 'file' },
      { field: 'policy.trigger.soft', value: null, from: 'file' },
      { field: 'storage.adapter', value: 'unstorage', from: 'file' },
      { field: 'storage.driver', value: 'redis', from: 'file' },
      { field: 'storage.options.url', value: expect.stringMatching(/^redis:/), from: 'file' },
    ])
    expect(explained.out).not.toContain('hunter2-secret')
    await writeFile(file, 'policy: { prune: false }\n')
    const off = JSON.parse((await compactctl(['config', 'explain', file, '--json'])).out) as { field: string; from: string }[]
    expect(off.filter(({ from }) => from === 'file').map(({ field }) => field)).toEqual(['policy.prune.ladder'])
  })
  it('says which line is wrong', async () => {
    await writeFile(path('bad.yaml'), 'preset: balanced\npolicy:\n  retain:\n    turms: 3\n')
    const { code, err } = await compactctl(['config', 'validate', path('bad.yaml')])
    expect(code).toBe(1)
    expect(err).toMatch(/bad\.yaml:4.*turms.*did you mean "turns"/s)
    expect(err).not.toContain('bug')
  })
})
