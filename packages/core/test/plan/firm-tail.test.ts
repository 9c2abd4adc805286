import { createCompactor, type Message, neutralCodec, presets } from '@precis/core'
import { assistant, call, fakeClock, result, user } from '@precis/testkit'
import { expect, it } from 'vitest'

const limits = { contextWindow: 8_000, maxOutput: 2_000 }

it.each([54, 60, 64, 68])('a firm tail gives way to the next exchange: no call compacts what the one before it left (%d lines a step)', async (lines) => {
  const session = createCompactor({ codec: neutralCodec, limits, clock: fakeClock(), policy: presets.layered }).session('firm')
  const history: Message[] = []
  const compacted: number[] = []
  for (let step = 0; step < 60; step++) {
    if (step % 3 === 0) history.push(...(step === 0 ? [] : [assistant('Done.')]), user(`Look at part ${step} of the parser.`))
    const output = Array.from({ length: lines }, (_, at) => `${at}: the worker ${step} reads the queue of its ledger`).join('\n')
    history.push(call('read', `c${step}`, { path: `src/part-${step}.ts` }), result(`c${step}`, output))
    if ((await session.beforeModelCall(history)).report.outcome === 'summarized') compacted.push(step)
  }
  expect(compacted.length).toBeGreaterThan(5)
  expect(compacted.filter((step, at) => step - 1 === compacted[at - 1])).toEqual([])
})
