import { type CustomRung, createCompactor, type Message, neutralCodec, type PartitionRule } from '@precis/core'
import { allText, customRungCases, fakeExporter, history, partitionRuleCases, step, user } from '@precis/testkit'
import { describe, expect, it } from 'vitest'

/** Cuts the output of a test runner to what failed. */
const failuresOnly: CustomRung = {
  name: 'failures-only',
  shorten: ({ tool, output }) =>
    tool === 'run_tests'
      ? output
          .split('\n')
          .filter((line) => line.startsWith('FAIL'))
          .join('\n')
      : undefined,
}
/** Keeps every message that holds a decision. */
const decisions: PartitionRule = {
  name: 'decisions',
  keeps: (messages) => messages.some(({ parts }) => parts.some((part) => part.type === 'text' && part.text.includes('DECISION:'))),
}
const limits = { contextWindow: 12_000, maxOutput: 1_000 }
const log = (at: number) => [...Array.from({ length: 300 }, (_, line) => `ok ${at}.${line} all is well here`), `FAIL ${at}.7 expected 3`].join('\n')
const source = history(
  user('go'),
  ...[1, 2, 3, 4, 5, 6].flatMap((at) => step('run_tests', `t${at}`, { at }, log(at))),
  user('DECISION: we stay on version 3.'),
  ...[7, 8].flatMap((at) => step('read', `r${at}`, { at }, `short ${at}`)),
  user('on'),
)
const base = { codec: neutralCodec, limits }

describe('code of the host where data ends', () => {
  it.each(customRungCases)('a rung: $name', ({ run }) => run(failuresOnly))
  it.each(partitionRuleCases)('a rule: $name', ({ run }) => run(decisions))

  it('a rung in the ladder decides what is shown of an output', async () => {
    const { messages, report } = await createCompactor<Message>({ ...base, rungs: [failuresOnly], policy: { prune: { ladder: ['failures-only'] } } })
      .session('s')
      .beforeModelCall(source)
    expect(report.messages.edited).toBe(6)
    expect(allText(messages)).toContain('FAIL 1.7 expected 3')
    expect(allText(messages)).not.toContain('ok 1.12 ')
  })

  it('a rung that nobody brought is named at once, with those there are', () => {
    expect(() => createCompactor<Message>({ ...base, policy: { prune: { ladder: ['failures-only'] } } })).toThrow(
      /prune\.ladder.*failures-only.*superseded.*rungs/s,
    )
  })

  it('what a rule keeps stays word for word, where it would have been summarized', async () => {
    const grown = [...source, ...[11, 12, 13, 14].flatMap((at) => step('read', `g${at}`, { at }, log(at)))]
    const at = grown.findIndex((message) => allText([message]).includes('DECISION'))
    const without = await createCompactor<Message>(base).session('s').compact(grown)
    expect(without.report.plan.summarize).toContain(at)
    const kept = await createCompactor<Message>({ ...base, partition: [decisions] })
      .session('s')
      .compact(grown)
    expect(kept.report.plan.keep).toContain(at)
    expect(kept.messages).toContain(grown[at])
  })

  it('a rung sees what may be stored, and nothing that is not redacted', async () => {
    const secret = 'AKIAIOSFODNN7EXAMPLF'
    const given: object[] = []
    const rung: CustomRung = {
      name: 'looks',
      shorten(output) {
        given.push(output)
        return undefined
      },
    }
    const key = [...step('env', 'e', { file: '.env' }, `AWS_ACCESS_KEY_ID=${secret}\n${log(0)}`), ...source]
    await createCompactor<Message>({ ...base, rungs: [rung], policy: { prune: { ladder: ['looks'] } } })
      .session('s')
      .beforeModelCall(key)
    expect(given.length).toBeGreaterThan(5)
    for (const output of given) expect(Object.keys(output).toSorted()).toEqual(['input', 'isError', 'output', 'step', 'tokens', 'tool', 'turn'])
    expect(JSON.stringify(given)).toContain('AWS_ACCESS_KEY_ID')
    expect(JSON.stringify(given)).not.toContain(secret)
  })
  it.each([false, true])('what throws is left out, and said; so is a promise, whose failure ends no process: %s', async (isPromised) => {
    const exporter = fakeExporter()
    const bug = new RangeError('bug')
    const broken = (): never => {
      if (isPromised) return Promise.reject(bug) as never
      throw bug
    }
    const compactor = createCompactor<Message>({
      ...base,
      exporters: [exporter],
      rungs: [{ name: 'broken', shorten: broken }],
      partition: [{ name: 'broken too', keeps: broken }],
      policy: { prune: { ladder: ['broken'] } },
    })
    const { report } = await compactor.session('s').beforeModelCall(source)
    expect(report.outcome).toBe('summarized')
    await compactor.flush()
    const faults = exporter.events.filter(({ event }) => event === 'compact.fault').map(({ attributes }) => attributes['what'])
    expect(new Set(faults)).toEqual(new Set(['rung broken', 'rule broken too']))
  })
})
