import { builtInEstimator, createCompactor, type Message, neutralCodec, recordOf, renderSummary } from '@precis/core'
import { assistant, step, user } from '@precis/testkit'
import { expect, it } from 'vitest'
import { summaryWith } from '../checkpoints.ts'

const recorded = (messages: readonly Message[], span: readonly number[] = [...messages.keys()]): string =>
  recordOf(messages, span, { budget: 2_000, requests: 1_000, estimator: builtInEstimator, already: '' }).text
const called = (text: string): readonly string[] => /### Called\n((?:- .*\n?)*)/.exec(text)?.[1]?.trim().split('\n') ?? []

const mail = (to: string): readonly Message[] => step('send_mail', `mail-${to}`, { to, body: 'Your parcel is late.' }, 'Sent.')
const task = [user('Tell Ada and Ben that their parcels are late.'), ...step('find_customer', 'c1', { name: 'Ada' }, 'ada@example.com'), ...mail('ada')]
const sent = ['- send_mail to: ada body: Your parcel is late. → Sent.']

it('what was called stands in the record: with what it was given, and how it ended', () => {
  expect(called(recorded(task))).toEqual(sent)
  expect(called(recorded([...task, ...mail('ben')]))).toEqual(['- send_mail to: ben body: Your parcel is late. → Sent.', ...sent])
})

it('but not what only looks, is seen elsewhere or failed', () => {
  const all = [...task, ...step('list_orders', 'c2', { of: 'Ada' }, '[]'), ...mail('ben')]
  expect(called(recorded(all, [...task.keys()]))).toEqual(sent)
  const failed = [...task.slice(0, 3), ...step('send_mail', 'c3', { to: 'ada' }, 'Error: no such mailbox')]
  expect([called(recorded(failed)), recorded(failed)]).toEqual([[], expect.stringContaining('Failed attempts')])
})

it('nor what was never answered', () => {
  const [request, call] = [user('Deploy it.'), step('deploy', 'd', { to: 'production' }, 'ok')[0] as Message]
  expect(called(recorded([request, call, user('Wait.'), assistant('I wait.')]))).toEqual([])
})

it('the last call of its tool keeps its line', () => {
  const text = 'Your parcel is late, and we are looking into it. '.repeat(8)
  const mails = Array.from({ length: 12 }, (_, at) => step('send_mail', `m${at}`, { to: `c${at}`, text }, 'Sent.')).flat()
  const lines = called(recorded([user('Go on.'), ...step('deploy', 'd', { to: 'production' }, 'ok'), ...mails]))
  expect(lines).toContain('- deploy to: production → ok')
})

it('a command for an older request stands among the commands again', () => {
  const later = [1, 2, 3].flatMap((at) => [assistant('Done.'), user(`And now part ${at}.`)])
  const text = recorded([user('Push it.'), ...step('bash', 'b', { command: 'git push origin main' }, ''), ...later])
  expect([called(text), text]).toEqual([[], expect.stringContaining('### Commands\n- git push origin main')])
})

it('no character is cut in two', () => {
  for (const before of [38, 39, 40]) {
    const text = `${'x'.repeat(before)}😀${'y'.repeat(60)}😀${'z'.repeat(18)}`
    expect(recorded([user('Go on.'), ...step('send_mail', 'm', { text }, 'Sent.')])).not.toMatch(/\p{Surrogate}/u)
  }
})

it('for the three newest requests: a word in between does not undo what was done', () => {
  const goOn = (text: string): readonly Message[] => [assistant('Both know.'), user(text), ...mail('cem')]
  const messages = [...task, ...['Yes, go on.', 'And leave out Dan.'].flatMap(goOn)]
  expect(called(recorded(messages))).toEqual([sent[0]?.replace('ada', 'cem'), ...sent])
  expect(called(recorded([...messages, ...goOn('Thanks. Now tell Cem again.')]))).toEqual([sent[0]?.replace('ada', 'cem')])
})

it('and is carried on where a summary comes back as a message, in front of the request that it is for', () => {
  const [request, ...steps] = task as [Message, ...Message[]]
  const back: Message = { ...user(renderSummary(summaryWith({ text: '', record: recorded([request, ...steps]) }))), summary: { version: 1 } }
  const next = [back, request, ...mail('ben')]
  expect(called(recorded(next, [0, 2, 3]))).toEqual(['- send_mail to: ben body: Your parcel is late. → Sent.', ...sent])
  const later = ['Thanks.', 'Now close the ticket.', 'Is it closed?'].flatMap((text) => [assistant('Done.'), user(text)])
  expect(called(recorded([...next, ...later]))).toEqual([])
})

it('calls without a line of their own stand together, by what tells them apart, and are carried on so', () => {
  const ids = Array.from({ length: 40 }, (_, at) => `T-${1_000 + at * 37}`)
  const close = (id: string): readonly Message[] => step('close_ticket', id, { reason: 'The parcel has come in the meantime.', id, note: 'None.' }, 'Closed.')
  const request = user('Close all tickets.')
  const text = recorded([request, ...ids.flatMap(close)])
  const lines = called(text)
  expect(lines[1]).toBe(`- close_ticket reason: The parcel has come in the meantime. id: ${ids[39]} note: None. → Closed.`)
  expect(lines[0]).toMatch(/^- close_ticket, \d\d more: T-\d{4}, T-\d{4}, /)
  expect(ids.filter((id) => !lines.join().includes(id))).toEqual([])
  const back: Message = { ...user(renderSummary(summaryWith({ text: '', record: text }))), summary: { version: 1 } }
  const next = called(recorded([back, request, ...close('T-9')], [0, 2, 3])).join('\n')
  expect([...ids, 'T-9'].filter((id) => !next.includes(id))).toEqual([])
})

it('a call is known by what it is for, wherever that stands', () => {
  const long = 'We are sorry that it took so long. '.repeat(12)
  const pay = (name: string): readonly Message[] =>
    step('create_invoice', name, { text: long, lines: [{ sku: 'A-1', amount: 12 }], customer: { name, country: 'DE' }, note: long }, '{"status":"open"}')
  const names = Array.from({ length: 30 }, (_, at) => `Ada ${at}th`)
  const said = called(recorded([user('Bill them all.'), ...names.flatMap(pay)])).join('\n')
  expect(names.filter((name) => !/\d+th/.exec(name)?.some((word) => new RegExp(`\\b${word}\\b`).test(said)))).toEqual([])
})

it.each([
  ['create_checkout', true],
  ['add_to_list', true],
  ['mark_as_read', true],
  ['mcp__todoist__add_task', true],
  ['resolve_ticket', true],
  ['delete_task', true],
  ['remove_list_item', true],
  ['list_orders', false],
  ['getOrder', false],
  ['update_plan', false],
  ['write_todos', false],
  ['TaskUpdate', false],
])('a tool by its name: %s', (tool, isCalled) => {
  expect(called(recorded([user('Go on.'), ...step(tool, 'c', { id: 'X-1' }, 'ok')]))).toHaveLength(Number(isCalled))
})

it.each([
  ['curl -s -X POST https://api.example.com/refunds -d order=RF-200', true],
  ['cd repos/api && git push origin main', true],
  ['gh pr close 12', true],
  ['npm test', false],
  ['git commit -am "close the gap"', false],
  ['grep -rn " delete " src', false],
])('a command that changes what is elsewhere is a call: %s', (command, isCalled) => {
  expect(called(recorded([user('Go on.'), ...step('bash', 'c', { command }, '')]))).toEqual(isCalled ? [`- bash ${command}`] : [])
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
