import { createCompactor, type Message, neutralCodec, openTelemetryTrace, renderReport } from '@precis/core'
import { recallMode } from '@precis/core/adapters'
import { assistant, call, fakeExporter, result, user } from '@precis/testkit'
import { afterEach, describe, expect, it } from 'vitest'

const fact = 'The contract of the harbor billing is filed under KX-48120.'
const noise = (at: number): string => Array.from({ length: 60 }, (_, line) => `${at}.${line}: request ${at * 977 + line} took ${line * 7} ms`).join('\n')
const history: readonly Message[] = Array.from({ length: 12 }, (_, at) => [
  user(`Part ${at}: look at it.`),
  call('run', `c${at}`, { part: at }),
  result(`c${at}`, at === 2 ? `${noise(at)}\n${fact}\n${noise(at)}` : noise(at), { tool: 'run' }),
  assistant(`Part ${at} is fine.`),
]).flat()

afterEach(() => {
  delete process.env['PRECIS_RECALL']
})

describe('recall, without an archive', () => {
  it('answers from the history that was handed over, as an event, a span and a line of the receipt', async () => {
    const exporter = fakeExporter()
    const spans: { readonly name: string; readonly attributes: Record<string, unknown> }[] = []
    const trace = openTelemetryTrace({
      startActiveSpan(name, { attributes }, work) {
        const span = { name, attributes: { ...attributes } as Record<string, unknown> }
        spans.push(span)
        return work({ setAttributes: (more) => Object.assign(span.attributes, more), setStatus: () => {}, end: () => {} })
      },
    })
    const compactor = createCompactor({ codec: neutralCodec, limits: { contextWindow: 12_000 }, exporters: [exporter], trace })
    const session = compactor.session('s')
    const { messages, report } = await session.beforeModelCall(history)
    expect(report.outcome).not.toBe('unchanged')
    const inputs = [{ query: 'Under which number is the contract of the harbor billing filed?' }, { message: 10 }]
    const { answers, receipt } = await compactor.lookUp('s', { history, context: messages, inputs, round: 1, tokens: report.tokens })
    expect(answers[0]).toContain(`[message 10, tool run returned`)
    for (const answer of answers) expect(answer).toContain(`> ${answer === answers[0] ? fact : '2.0: request 1954 took 0 ms'}`)
    const again = await session.beforeModelCall(history, { overhead: { memory: receipt.tokens }, recall: receipt })
    expect(again.report.recall).toEqual(receipt)
    expect(renderReport(again.report)).toMatch(/look-ups, round 1: 2 asked, \d+ passages, [\d,]+ tokens/)
    await compactor.flush()
    expect(exporter.events.filter(({ event }) => event === 'compact.recalled').map(({ attributes }) => attributes)).toEqual([
      { round: 1, look_ups: 2, shown: receipt.shown, tokens: receipt.tokens },
    ])
    const recalls = spans.filter(({ name }) => name === 'recall')
    expect(recalls.map(({ attributes }) => attributes['compaction.tokens'])).toEqual([receipt.tokens])
  })
  it('fails in words, and never a run', async () => {
    const compactor = createCompactor({
      codec: {
        ...neutralCodec,
        read: () => {
          throw new Error('x')
        },
      },
      exporters: [fakeExporter()],
    })
    const { answers } = await compactor.lookUp('s', { history, context: [], inputs: [{ query: 'x' }], round: 1, tokens: { before: 1, after: 1, budget: null } })
    expect(answers).toEqual(['The look-up failed. Go on with what you have.'])
  })
  it.each(['off', 'OFF', '0', 'false', 'no'])('PRECIS_RECALL=%s switches it off without a change of code', (value) => {
    expect([recallMode(), recallMode('tool'), recallMode('off')]).toEqual(['on', 'tool', 'off'])
    process.env['PRECIS_RECALL'] = value
    expect([recallMode(), recallMode('tool')]).toEqual(['off', 'off'])
  })
})
