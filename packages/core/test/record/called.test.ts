import { builtInEstimator, createCompactor, type Message, neutralCodec, recordOf, renderSummary } from '@precis/core'
import { assistant, step, user } from '@precis/testkit'
import { expect, it } from 'vitest'
import { summaryWith } from '../checkpoints.ts'

const recorded = (messages: readonly Message[], span: readonly number[] = [...messages.keys()]): string =>
  recordOf(messages, span, { budget: 2_000, requests: 1_000, estimator: builtInEstimator, already: '' }).text
const called = (text: string): readonly string[] => /### Called since the newest request\n((?:- .*\n?)*)/.exec(text)?.[1]?.trim().split('\n') ?? []

const mail = (to: string): readonly Message[] => step('send_mail', `mail-${to}`, { to, body: 'Your parcel is late.' }, 'Sent.')
const task = [user('Tell Ada and Ben that their parcels are late.'), ...step('find_customer', 'c1', { name: 'Ada' }, 'ada@example.com'), ...mail('ada')]
const sent = ['- send_mail to: ada body: Your parcel is late. → Sent.']

it('what was called for the newest request stands in the record: with what it was given, and how it ended', () => {
  expect(called(recorded(task))).toEqual(sent)
  expect(called(recorded([...task, ...mail('ben')]))).toEqual(['- send_mail to: ben body: Your parcel is late. → Sent.', ...sent])
})

it('but not what only looks, is seen elsewhere, failed, or was for an earlier request', () => {
  const all = [...task, ...step('list_orders', 'c2', { of: 'Ada' }, '[]'), ...mail('ben')]
  expect(called(recorded(all, [...task.keys()]))).toEqual(sent)
  const failed = [...task.slice(0, 3), ...step('send_mail', 'c3', { to: 'ada' }, 'Error: no such mailbox')]
  expect([called(recorded(failed)), recorded(failed)]).toEqual([[], expect.stringContaining('Failed attempts')])
  expect(called(recorded([...task, assistant('Both know.'), user('Thanks. Now close the ticket.')]))).toEqual([])
})

it('and is carried on where a summary comes back as a message, in front of the request that it is for', () => {
  const [request, ...steps] = task as [Message, ...Message[]]
  const back: Message = { ...user(renderSummary(summaryWith({ text: '', record: recorded([request, ...steps]) }))), summary: { version: 1 } }
  const next = [back, request, ...mail('ben')]
  expect(called(recorded(next, [0, 2, 3]))).toEqual(['- send_mail to: ben body: Your parcel is late. → Sent.', ...sent])
  expect(called(recorded([...next, assistant('Both know.'), user('Thanks. Now close the ticket.')]))).toEqual([])
})

it('a compaction in the middle of a task leaves no doubt about what was done for it', async () => {
  const session = createCompactor({ codec: neutralCodec, limits: { contextWindow: 12_000 } }).session('s')
  const page = (of: string): string =>
    Array.from({ length: 28 }, (_, at) => `${of}, line ${at}: invoice INV-${1_000 + at} was sent to customer ${at * 7}.`).join('\n')
  const messages: Message[] = []
  let compactions = 0
  for (let at = 0; at < 25; at++) {
    messages.push(user(`Task ${at}: tell customer ${at} that the parcel is late, then look at the invoices.`))
    const steps = [mail(`c${at}`), ...[1, 2, 3].map((nth) => step('read_page', `p${at}-${nth}`, { nth }, page(`page ${at}-${nth}`)))]
    for (const one of steps) {
      messages.push(...one)
      const { messages: shown, report } = await session.beforeModelCall(messages, { overhead: { tools: 3_000 } })
      if (report.outcome === 'summarized') compactions++
      const text = shown.flatMap(({ parts }) => parts.map((part) => ('text' in part ? part.text : 'input' in part ? `send_mail ${part.input}` : ''))).join('\n')
      expect(text).toMatch(new RegExp(`send_mail (?:to: |\\{"to":")c${at}\\b`))
    }
    messages.push(assistant(`Task ${at} is done.`))
  }
  expect(compactions).toBeGreaterThan(4)
})
