import { createCompactor, type Message, neutralCodec } from '@precis/core'
import { assistant, call, result, user } from '@precis/testkit'
import { expect, it } from 'vitest'

const steps = (count: number): readonly Message[] => [
  user('Start'),
  ...Array.from({ length: count }, (_, at) => [
    call(`c${at}`, 'bash', { command: 'ls' }),
    result(`c${at}`, `line ${at} `.repeat(120), { tool: 'bash' }),
    assistant(`noted ${at}`),
  ]).flat(),
  user('What now?'),
]

it.each([1, 2, 5, 8])('a provider’s wrong number, a window of %i, stops no conversation: the smallest context is sent', async (limit) => {
  const compactor = createCompactor({ codec: neutralCodec })
  const model = { model: 'acme/unknown', endpoint: 'https://acme.test' }
  const session = compactor.session('refused')
  await session.beforeModelCall(steps(30), model)
  const refusal = Object.assign(new Error(`maximum context length is ${limit} tokens`), { status: 400 })
  await session.recover(steps(30), refusal, model)
  await session.recover(steps(30), refusal, model)
  for (const id of ['refused', 'other']) {
    const { messages } = await compactor.session(id).beforeModelCall(steps(20), model)
    expect(messages.at(-1)).toEqual(user('What now?'))
  }
})
