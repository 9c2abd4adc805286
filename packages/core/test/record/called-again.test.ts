import { builtInEstimator, type Message, recordOf, renderSummary } from '@precis/core'
import { step, user } from '@precis/testkit'
import { expect, it } from 'vitest'
import { summaryWith } from '../checkpoints.ts'

const recorded = (messages: readonly Message[]): string =>
  recordOf(messages, [...messages.keys()], { budget: 2_000, requests: 1_000, estimator: builtInEstimator, already: '' }).text
const called = (text: string): readonly string[] => /### Called\n((?:- .*\n?)*)/.exec(text)?.[1]?.trim().split('\n') ?? []

it('the same call again is another act: how often it was made stands behind it', () => {
  const page = (nth: number): readonly Message[] => step('browser_navigate', `n${nth}`, { url: `https://admin.example/orders/${nth}` }, `Order ${nth}.`)
  const click = (nth: number): readonly Message[] => step('browser_click', `k${nth}`, { element: 'Approve', ref: 'e140' }, 'The page.\nApproved.')
  const lines = called(recorded([user('Approve all.'), ...Array.from({ length: 12 }, (_, nth) => [...page(nth), ...click(nth)]).flat()]))
  expect(lines).toContain('- [47] browser_click element: Approve ref: e140 ×12')
})

it('addresses of one folder are told by what comes behind it', () => {
  const visits = Array.from({ length: 60 }, (_, nth) =>
    step('visit', `v${nth}`, { url: `https://admin.example/orders/${71_000 + nth}` }, 'A page.\nOf two lines.'),
  ).flat()
  expect(called(recorded([user('Visit all.'), ...visits]))[0]).toMatch(/^- visit, \d\d more: \/\d{5}, \/\d{5}, /)
})

it('a query is shown with the table that it is about', () => {
  const query = "SELECT id, ord_ref, region, month, qty_net FROM orders WHERE region = 'EMEA' ORDER BY id"
  expect(called(recorded([user('Go on.'), ...step('run_sql', 'q', { query }, '1 | 2\n3 | 4')]))).toEqual([`- [1] run_sql query: ${query}`])
})

it('tools that need little room leave it to others', () => {
  const visits = Array.from({ length: 30 }, (_, nth) => step('visit', `v${nth}`, { page: `P-${7_000 + nth}` }, 'A page.\nOf two lines.')).flat()
  const others = ['wait', 'scroll', 'zoom'].flatMap((tool) => step(tool, tool, {}, 'ok'))
  const messages = [user('Go.'), ...others, ...visits]
  const lines = called(recordOf(messages, [...messages.keys()], { budget: 160, requests: 40, estimator: builtInEstimator, already: '' }).text)
  expect(lines.find((line) => line.startsWith('- visit, '))?.length).toBeGreaterThan(100)
})

it('queries of one table are told apart by what differs among them', () => {
  const tables = ['orders', 'shipments', 'invoices', 'returns', 'carriers', 'tariffs']
  const regions = ['EMEA', 'LATAM', 'APAC', 'NORAM']
  const queries = tables.flatMap((table) =>
    regions.flatMap((region, at) =>
      step(
        'run_sql',
        `${table}${at}`,
        { query: `SELECT ${table}_id, ${table}_month, ${table}_amount FROM ${table} WHERE region = '${region}' ORDER BY 1` },
        '42',
      ),
    ),
  )
  const line = called(recorded([user('Report each region.'), ...queries])).find((one) => one.startsWith('- run_sql, ')) ?? ''
  for (const table of tables.slice(0, -2)) for (const region of regions) expect(line).toMatch(new RegExp(`${table}_[^,]* ${region}(?:,|$)`))
})

it('what two summaries in one history carry was not done twice', () => {
  const mail = step('send_mail', 'm', { to: 'ada' }, 'Sent.\nAt noon.')
  const record = recorded([user('Tell Ada.'), ...mail])
  const back: Message = { ...user(renderSummary(summaryWith({ text: '', record }))), summary: { version: 1 } }
  const lines = called(recorded([user('Hello.'), back, user('And now?'), back, user('Go on.'), ...step('send_mail', 'n', { to: 'ben' }, 'Sent.\nAt one.')]))
  expect(lines).toEqual(['- [5] send_mail to: ben', '- send_mail to: ada'])
})
