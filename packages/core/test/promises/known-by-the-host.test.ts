import { type CompactionState, createCompactor, type Message, type MessageCodec, repairHistory } from '@precis/core'
import { expect, it } from 'vitest'

const codec: MessageCodec<Message> = {
  read: (message) => message,
  createSummary: (text, { version, role }) => ({ role, parts: [{ type: 'text', text }], summary: { version } }),
  joinUsers: (messages) => ({ role: 'user', parts: messages.flatMap(({ parts }) => parts) }),
  edit: (message) => message,
  createToolResults: () => [],
  withoutToolResults: (message) => message,
}
const limits = { contextWindow: 4_000, maxOutput: 500 }
const history = (turns: number): Message[] =>
  Array.from({ length: turns }, (_, at) => ({
    role: at % 2 === 0 ? ('user' as const) : ('assistant' as const),
    parts: [{ type: 'text', text: `${at} ${'word '.repeat(90)}` }],
  }))
const processOf = () => createCompactor<Message>({ codec, limits })

it('what another process did since stands in the state that the host carries: it is gone on from, also by a process that knows the conversation', async () => {
  const [one, other] = [processOf(), processOf()]
  let carried: CompactionState | undefined
  const call = async (compactor: ReturnType<typeof processOf>, turns: number) => {
    const session = compactor.session('s', carried)
    const { report } = await session.beforeModelCall(history(turns))
    carried = session.state()
    return report
  }
  expect((await call(one, 41)).outcome).not.toBe('unchanged')
  const { checkpoint } = await call(other, 61)
  expect(checkpoint).toBeDefined()
  const again = await call(one, 61)
  expect([again.outcome, again.checkpoint]).toEqual(['projected', checkpoint])
})

it('a checkpoint that was taken back does not come back with it', async () => {
  const compactor = processOf()
  const session = compactor.session('s')
  await session.beforeModelCall(history(41))
  const carried = session.state()
  await session.rewind()
  await compactor.session('s', carried).beforeModelCall(history(3))
  expect(session.state().checkpoints).toEqual([])
})

it('a checkpoint that another process took back goes with the next state', async () => {
  const [one, other] = [processOf().session('s'), processOf()]
  await one.beforeModelCall(history(41))
  const first = one.state()
  await other.session('s', first).beforeModelCall(history(41))
  await one.rewind()
  await one.beforeModelCall(history(61))
  const shown = other.session('s', one.state())
  await shown.beforeModelCall(history(61))
  expect(shown.state().checkpoints.map(({ id }) => id)).toEqual(one.state().checkpoints.map(({ id }) => id))
})

it('where a model is called nothing is being worked on: a call at the end that has no answer gets one', async () => {
  const call = (callId: string) => ({ type: 'tool-call' as const, callId, tool: 'read', input: '{}' })
  const messages: Message[] = [
    ...history(3),
    { role: 'assistant', parts: [call('a'), call('b')] },
    { role: 'tool', parts: [{ type: 'tool-result', callId: 'b', tool: 'read', output: 'refused by a person' }] },
  ]
  expect(repairHistory(messages)).toEqual([])
  expect(repairHistory(messages, undefined, true)).toMatchObject([{ kind: 'unanswered-call', callId: 'a', after: 4 }])
})
