import { createRedactor, secretRules } from '@precis/redaction'
import { expect, it } from 'vitest'

const redact = createRedactor(secretRules, { salt: 'one' })

it('a long text is looked at in stretches, and what stands across their border is found as it is elsewhere', () => {
  const secret = 'db_password = "hunter2-is-it-9"'
  const filler = 'the worker reads the queue of its ledger\n'
  for (let shift = -40; shift <= 10; shift += 5) {
    const before = filler
      .repeat(2_000)
      .slice(0, 65_536 + shift)
      .replace(/.$/, '\n')
    expect(redact(`${before}${secret}\n${filler}`)).toBe(`${before}${redact(secret)}\n${filler}`)
  }
})

it('others may have their turn between them', () => {
  const text = 'name = value, and nothing else\n'.repeat(40_000)
  const finders = secretRules.flatMap((rule) => ('find' in rule ? [rule] : []))
  const pauses = finders.flatMap((finder) => [...finder.find(text)]).filter((one) => one === undefined)
  expect(pauses.length).toBeGreaterThan(text.length / 65_536)
})
