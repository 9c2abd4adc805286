import { createRedactor, InvalidConfigurationError, type RedactionRule } from '@precis/core'
import { expect, it } from 'vitest'

const shown = (rule: RedactionRule, text: string): string => createRedactor([rule])(text).replace(/:[0-9a-f]{6}/g, '')

it.each([
  ['no flag', /ACME-\d+/],
  ['g', /ACME-\d+/g],
  ['y', /ACME-\d+/y],
  ['g and y', /ACME-\d+/gy],
  ['i and d', /acme-\d+/di],
])('a rule of a user is looked for everywhere, whatever its flags: %s', (_, pattern) => {
  expect(shown({ tag: 'customer', pattern }, 'for ACME-1 and ACME-22')).toBe('for [customer] and [customer]')
  const long = 'the worker reads its queue\n'.repeat(1_000)
  expect(shown({ tag: 'customer', pattern }, `${long}ACME-1`)).toBe(`${long}[customer]`)
})

it('of two copies in a match the one is hidden that the group has found', () => {
  expect(shown({ tag: 'key', pattern: /key (?<secret>\w+) \w+/g }, 'key abc abc')).toBe('key [key] abc')
  expect(shown({ tag: 'key', pattern: /key "(?<quoted>\w+)" \w+|key (?<bare>\w+) \w+/g }, 'key abc abc, key "abc" abc')).toBe('key [key] abc, key "[key]" abc')
})

it.each([
  ['a text', { tag: 'customer', pattern: 'ACME' }],
  ['a pattern alone', /ACME/g],
  ['nothing', {}],
])('what is no rule is refused at once: %s', (_, rule) => {
  expect(() => createRedactor([rule as never])).toThrow("write { tag: 'customer', pattern: /ACME-[0-9]+/ }")
})

it.each([[42], [null], ['text'], [{}], [[42]], [[null]], [[undefined]], [['text']], [[/ACME/]]])('what is no rule is said to be none: %j', (rules) => {
  expect(() => createRedactor(rules as never)).toThrow(InvalidConfigurationError)
})
