import type { Message } from '@precis/core'
import { user } from '@precis/testkit'
import { describe, expect, it } from 'vitest'
import { here } from '../../../../src/runtime/session/committing/committed.ts'
import { announceFinished } from '../../../../src/runtime/session/compacting/announce-finished.ts'
import { carryOut } from '../../../../src/runtime/session/compacting/carry-out.ts'
import { handOut, warningsOf } from '../../../../src/runtime/session/compacting/hand-out.ts'
import { decide } from '../../../../src/runtime/session/deciding/decide.ts'
import { inputOf } from '../../../../src/runtime/session/measuring/measure.ts'
import type { Memory } from '../../../../src/runtime/session/memory.ts'
import { read } from '../../../../src/runtime/session/read.ts'
import type { ModelCall } from '../../../../src/runtime/session/session-types.ts'
import { memory, type Stepping, stepping, turns } from './setup.ts'

// hand out: what was done goes in; the context, its receipt and a memory of what was sent come out.

const short = turns(2)
const long = turns(14)
const served = { model: 'm', endpoint: undefined }
const untouched = { outcome: 'unchanged', warnings: [], started: 0 } as const

async function asItCame({ parts }: Stepping, messages: readonly Message[], call: ModelCall = {}, remembered: Memory<Message> = memory) {
  const found = read(parts, messages)
  const planned = await decide(parts, remembered, found.messages, call, {})
  return handOut(parts, remembered, found, planned, { ...untouched, warnings: await warningsOf(planned, remembered) }, served)
}
async function compacted({ parts }: Stepping, messages: readonly Message[] = long) {
  const found = read(parts, messages)
  const planned = await decide(parts, memory, found.messages, {}, {})
  const { step } = await carryOut(parts, memory, found, planned, {})
  const after = here(memory, step).memory
  const input = inputOf(parts, after, found.messages, {})
  const outcome = { outcome: step.outcome, warnings: ['one'], started: 0, step }
  const handed = handOut(parts, after, found, { plan: planned.plan, input }, outcome, served)
  announceFinished(parts, handed.prepared.report, input)
  return { step, planned, after, ...handed }
}

describe('nothing to do', () => {
  it('the caller’s own array, and a memory of it; what is known of the conversation stays', async () => {
    const stepped = stepping()
    const { memory: next, prepared } = await asItCame(stepped, short)
    expect(prepared.messages).toBe(short)
    expect(next.state).toBe(memory.state)
    expect(next.last).toMatchObject({ messages: short, length: short.length, checkpoint: null, served })
    expect(prepared.report).toMatchObject({ outcome: 'unchanged', compression: 1, spent: { prompt: 0, reply: 0 } })
    expect(stepped.events).toEqual([])
  })
})

describe('a compaction', () => {
  it('the summary in front of the caller’s own messages, as small as the receipt says', async () => {
    const stepped = stepping()
    const { memory: next, prepared, step, planned } = await compacted(stepped)
    const { messages, report } = prepared
    for (const index of planned.plan.keep) expect(messages).toContain(long[index])
    expect(messages.length).toBe(planned.plan.keep.length + 1)
    expect(next.last).toMatchObject({ length: long.length, checkpoint: step.checkpoint.id, context: messages })
    expect(next.last?.total).toBe(step.checkpoint.tokens.after)
    expect(report).toMatchObject({ outcome: 'summarized', checkpoint: step.checkpoint.id, spent: step.spent, warnings: ['one'] })
    expect(report.tokens.after).toBeLessThanOrEqual(report.tokens.budget ?? 0)
    for (const side of ['before', 'after'] as const)
      expect(Object.values(report.regions[side]).reduce((sum, tokens) => sum + tokens, 0)).toBe(report.tokens[side])
    expect(stepped.events.at(-1)).toBe('compact.finished')
  })
  it('is made of the same objects the next time, and what is said since follows', async () => {
    const stepped = stepping()
    const { memory: next, prepared } = await compacted(stepped)
    const grown = [...long, user('And now?')]
    const { messages } = (await asItCame(stepped, grown, {}, next)).prepared
    expect(messages.length).toBe(prepared.messages.length + 1)
    for (const [at, message] of prepared.messages.entries()) expect(messages[at]).toBe(message)
  })
  it('is known again where a framework carries it on in place of the history', async () => {
    const stepped = stepping()
    const { memory: next, prepared } = await compacted(stepped)
    const carried = [...prepared.messages, user('And now?')]
    expect(read(stepped.parts, carried).source).toEqual([...long, user('And now?')])
    const { messages } = (await asItCame(stepped, carried, {}, next)).prepared
    expect(messages).toEqual(carried)
  })
})

describe('what the receipt says once', () => {
  it('that the provider acts by itself: again where that changes, and not from call to call', async () => {
    const stepped = stepping()
    let remembered = memory
    const said: number[] = []
    for (const provider of ['keeps', 'keeps', 'compacts', undefined, 'compacts'] as const) {
      const handed = await asItCame(stepped, short, provider === undefined ? {} : { provider }, remembered)
      remembered = handed.memory
      said.push(handed.prepared.report.warnings.length)
    }
    expect(said).toEqual([1, 0, 1, 0, 1])
  })
  it('what an effect left to say', async () => {
    const stepped = stepping()
    stepped.parts.effects.note('the archive was late')
    expect((await asItCame(stepped, short)).prepared.report.warnings).toEqual(['the archive was late'])
    expect((await asItCame(stepped, short)).prepared.report.warnings).toEqual([])
  })
})
