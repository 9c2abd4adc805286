import { createOpenAI } from '@ai-sdk/openai'
import { withCompaction } from '@precis/ai-sdk'
import { type StrictProvider, strictProvider } from '@precis/testkit'
import { generateText, isStepCount, tool } from 'ai'
import { afterEach, expect, it } from 'vitest'
import { z } from 'zod'

// An analyst: query after query, each with a sum below its rows. A model that reads what it is shown asks for none twice.

let provider: StrictProvider | undefined
afterEach(async () => {
  await provider?.close()
  provider = undefined
})

const tables = ['orders', 'refunds', 'coupons', 'leases', 'claims', 'audits', 'carts', 'assets', 'routes', 'stops', 'alerts', 'budgets', 'leads', 'tickets']
const sumOf = (table: string): number => 100_000 + tables.indexOf(table) * 7_919
const rows = (table: string): string => Array.from({ length: 90 }, (_, at) => `${at} | ${table.toUpperCase()}-${at * 17} | 2026-01-01 | ${at}.5`).join('\n')

it('what each query came to is shown with it', async () => {
  const window = 6_000
  const queried: string[] = []
  let calls = 0
  provider = await strictProvider({
    window,
    model: (prompt) => {
      const shown = prompt.map(({ text }) => text).join('\n')
      const sumShown = (table: string): string | undefined =>
        new RegExp(`(?:FROM ${table}\\b.* → sum\\(amount\\) = |\\b${table}\\b → )(\\d+)`).exec(shown)?.[1] ??
        (shown.includes(`${table.toUpperCase()}-0 |`) ? new RegExp(`${table.toUpperCase()}-1513[^=]*= (\\d+)`).exec(shown)?.[1] : undefined)
      const next = tables.find((table) => sumShown(table) === undefined)
      if (next === undefined) return { text: tables.map((table) => `${table} ${sumShown(table)}`).join(', '), calls: [] }
      return { text: '', calls: [{ id: `c${calls++}`, tool: 'run_sql', input: JSON.stringify({ query: `SELECT id, ref, day, amount FROM ${next}` }) }] }
    },
  })
  const { text } = await generateText({
    model: withCompaction(createOpenAI({ baseURL: provider.url, apiKey: 'none' }).chat('strict'), { limits: { contextWindow: window, maxOutput: 256 } }),
    tools: {
      run_sql: tool({
        inputSchema: z.object({ query: z.string() }),
        execute: async ({ query }) => {
          const table = /\w+$/.exec(query)?.[0] ?? ''
          queried.push(table)
          return `id | ref | day | amount\n${rows(table)}\n(90 rows)\nsum(amount) = ${sumOf(table)}`
        },
      }),
    },
    prompt: `Query each of these tables once and report the sum of each: ${tables.join(', ')}.`,
    maxOutputTokens: 256,
    maxRetries: 0,
    stopWhen: isStepCount(60),
  })
  expect(queried).toEqual(tables)
  expect(text).toBe(tables.map((table) => `${table} ${sumOf(table)}`).join(', '))
})
