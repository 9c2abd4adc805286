import { type CompactionReport, presets } from '@precis/core'
import type { ModelMessage } from 'ai'
import { describe, expect, it } from 'vitest'
import { createCodec, createCompaction } from '../../src/index.ts'
import { call, json, partsOf, result, sent, steps, user, words } from './setup.ts'

describe('what providers refuse', () => {
  const dialogue = (count: number): unknown[] =>
    Array.from({ length: count }, (_, at) => [user(`question ${at} ${words(80)}`), { role: 'assistant', content: [{ type: 'text', text: words(80) }] }]).flat()
  it('R1 a tail never begins with a tool message', async () => {
    for (let extra = 0; extra < 8; extra++) {
      const { messages } = await sent([user('go'), ...steps(12 + extra), user('and now?')], presets.pivot)
      const first = messages.findIndex((message) => message.role === 'tool')
      expect(messages[first - 1]?.role).toBe('assistant')
    }
  })
  it('R2 calls made in one message keep all their results', async () => {
    const ids = ['a', 'b', 'c']
    const fan = [{ role: 'assistant', content: ids.map((id) => call(id)) }, ...ids.map((id) => ({ role: 'tool', content: [result(id, words(150))] }))]
    const { messages } = await sent([user('go'), ...steps(14), ...fan, user('and now?')])
    const parts = partsOf(messages)
    for (const id of ids) expect([0, 2]).toContain(parts.filter((part) => part['toolCallId'] === id).length)
  })
  it('R3 reasoning lives and dies with what follows it', async () => {
    const thought = (id: string): unknown[] => [
      {
        role: 'assistant',
        content: [
          { type: 'reasoning', text: 'first', providerOptions: { openai: { itemId: `rs_${id}` } } },
          { type: 'reasoning', text: 'second', providerOptions: { openai: { itemId: `rs_${id}` } } },
          call(id, { providerOptions: { openai: { itemId: `fc_${id}` } } }),
        ],
      },
      { role: 'tool', content: [result(id, words(250))] },
    ]
    const { messages, report } = await sent([user('go'), ...Array.from({ length: 20 }, (_, at) => thought(`t${at}`)).flat(), user('and now?')])
    expect(report.outcome).toBe('summarized')
    for (const message of messages) {
      const parts = partsOf([message])
      if (parts.some((part) => part['type'] === 'reasoning')) expect(parts.map((part) => part['type'])).toEqual(['reasoning', 'reasoning', 'tool-call'])
      if (parts.some((part) => part['type'] === 'tool-call')) expect(parts[0]?.['type']).toBe('reasoning')
    }
  })
  it('R4 the thinking of the tool loop that is under way stays first, with its signature', async () => {
    const loop = {
      role: 'assistant',
      content: [{ type: 'reasoning', text: 'plan', providerOptions: { anthropic: { signature: 's' } } }, call('now')],
    }
    const { messages } = await sent([user('go'), ...steps(20), user('think'), loop, { role: 'tool', content: [result('now', words(200))] }])
    expect(messages.at(-2)).toEqual(loop)
  })
  it('R5 messages that hold nothing are not sent', async () => {
    const { messages } = await sent([user('go'), { role: 'assistant', content: [] }, { role: 'assistant', content: [{ type: 'text', text: '' }] }, user('on')])
    expect(messages.map((message) => message.content)).toEqual(['go', 'on'])
  })
  it('R6 a thought signature stays on its call, also when arguments are shortened', async () => {
    const message = { role: 'assistant', content: [call('w', { providerOptions: { google: { thoughtSignature: 'ts' } } }, { path: 'a', content: words(800) })] }
    const copy = createCodec<ModelMessage>().edit(message as never, { outputs: new Map(), inputs: new Map([['w', '{"path":"a","content":"…"}']]) })
    expect(copy.content).toEqual([call('w', { providerOptions: { google: { thoughtSignature: 'ts' } } }, { path: 'a', content: '…' })])
  })
  it('R7 a prompt never ends on an assistant message that was not the last', async () => {
    const { messages } = await sent([...dialogue(30), user('and now?')])
    expect(messages.at(-1)).toEqual(user('and now?'))
  })
  it('R8 a compacted prompt begins with a user message', async () => {
    for (const preset of Object.values(presets)) {
      const { messages, report } = await sent([...dialogue(30), ...steps(20), user('and now?')], preset)
      expect(report.plan.decision.action).not.toBe('none')
      expect(messages.find((message) => message.role !== 'system')?.role).toBe('user')
    }
  })
  it('R9 an approval that waits stays with its call and its request', async () => {
    const waiting = { role: 'assistant', content: [call('danger'), { type: 'tool-approval-request', approvalId: 'ap1', toolCallId: 'danger' }] }
    const { messages, report } = await sent([user('go'), ...steps(20), user('delete it'), waiting])
    expect(report.outcome).toBe('summarized')
    expect(messages.at(-1)).toEqual(waiting)
    const answered = [waiting, { role: 'tool', content: [{ type: 'tool-approval-response', approvalId: 'ap1', approved: true }] }]
    const { messages: resumed } = await sent([user('go'), ...steps(20), user('delete it'), ...answered])
    expect(resumed.slice(-2)).toEqual(answered)
  })
  it('R10 a provider’s own compaction is a barrier: never summarized, never dropped, and what precedes it may go', async () => {
    for (const barrier of [
      { role: 'assistant', content: [{ type: 'text', text: 'the summary', providerOptions: { anthropic: { type: 'compaction' } } }] },
      { role: 'assistant', content: [{ type: 'custom', kind: 'openai.compaction', providerOptions: { openai: { itemId: 'cmp_1', encryptedContent: 'x' } } }] },
    ]) {
      const { messages, report } = await sent([user('go'), ...steps(4), barrier, user('on'), ...steps(20), user('and now?')])
      expect(report.outcome).toBe('summarized')
      expect(messages).toContainEqual(barrier)
      expect(report.plan.summarize).not.toContain(9)
    }
  })
  it('R12 the budget is that of the model which the next step goes to', async () => {
    const windows: Readonly<Record<string, number>> = { big: 200_000, small: 8_000 }
    const reports: CompactionReport[] = []
    const compaction = createCompaction({
      limits: (model) => ({ contextWindow: windows[model] as number, maxOutput: 500 }),
      onReport: (report) => reports.push(report),
    })
    const messages = [user('go'), ...steps(20), user('and now?')] as ModelMessage[]
    const failover = compaction.prepareStep({ session: 's', prepareStep: () => ({ model: { modelId: 'small' } }) })
    await compaction.prepareStep({ session: 's' })({ messages, steps: [], model: { modelId: 'big' } })
    await failover({ messages, steps: [], model: { modelId: 'big' } })
    expect(reports.map((report) => report.outcome)).toEqual(['unchanged', 'summarized'])
  })
  it('an orphaned result is left out, a call without a result is answered, and the history itself stays as it is', async () => {
    const { messages } = await sent([
      user('go'),
      { role: 'tool', content: [result('gone', 'x')] },
      { role: 'assistant', content: [call('aborted')] },
      user('on'),
    ])
    expect(messages.map((message) => message.role)).toEqual(['user', 'assistant', 'tool', 'user'])
    expect(json(messages)).not.toContain('gone')
  })
})
