import { InvalidConfigurationError } from '../errors.ts'
import { kindOf } from './given-objects.ts'
import { onlyNames, type Words } from './only-names.ts'
import { longestTimer } from './platform/deadline-signal.ts'

/** What the value of one option is. */
export interface ValueRule {
  readonly is: (value: unknown) => boolean
  /** What to write instead. */
  readonly expected: string
  /** May not be left out. */
  readonly needed?: boolean
  /** What was given may hold a password or a key: an error shows its type alone. */
  readonly secret?: boolean
}

/** A rule for each option: one that is left out is a type error. */
export type ValueRules<T> = { readonly [Name in keyof T]-?: ValueRule }

const isText = (value: unknown): boolean => typeof value === 'string' && value !== ''
const isWithin = (value: unknown, least: number, most: number): boolean => typeof value === 'number' && value >= least && value <= most

export const aText = (expected = 'expected a text'): ValueRule => ({ is: isText, expected })
export const aFlag: ValueRule = { is: (value) => typeof value === 'boolean', expected: 'expected true or false' }
export const aFunction = (expected: string): ValueRule => ({ is: (value) => typeof value === 'function', expected })
/** As a timer takes them: one that is longer would end at once. */
export const milliseconds = (least = 1, most: number = longestTimer): ValueRule => ({
  is: (value) => isWithin(value, least, most),
  expected: 'expected milliseconds: 10_000 for 10 seconds',
})
/** A time that may be without end. */
export const aDeadline: ValueRule = { ...milliseconds(0, Infinity), expected: 'expected milliseconds, 30_000 for 30 seconds, or Infinity' }
export const aCount = (least: number, expected: string): ValueRule => ({ is: (value) => Number.isInteger(value) && isWithin(value, least, Infinity), expected })
export const oneOf = (...names: readonly string[]): ValueRule => ({
  is: (value) => names.includes(value as string),
  expected: `write ${names.map((name) => `"${name}"`).join(', ')}`.replace(/, (?=[^,]*$)/, ' or '),
})
/** With these methods. */
export const anObject = (expected: string, ...methods: readonly string[]): ValueRule => ({
  is: (value) => Object(value) === value && methods.every((method) => typeof Object(value)[method] === 'function'),
  expected,
  secret: true,
})

/**
 * For packages beside the core: names and values of the options that they were given. One that is undefined was not given.
 * @param of Whose options they are: the name of the function.
 * @param within The path of the options, with a dot behind it, where they are a part of others.
 * @throws InvalidConfigurationError with what to write. It holds no objects: there may be keys and passwords in them.
 */
export function checkGiven<T extends object>(of: string, options: T, rules: ValueRules<T>, words?: Words, within = ''): void {
  const names = Object.keys(rules) as (keyof T & string)[]
  const isNone = typeof options !== 'object' || options === null || Array.isArray(options)
  const given: Partial<T> = isNone ? {} : options
  onlyNames(of, given, names, words)
  checkValues(given, rules, within)
  if (isNone) throw new InvalidConfigurationError(of, typeof options, `expected an object with ${names.join(', ')}`, `${of} is ${typeOf(options)}`)
}

/** Values alone: for options that hold others beside those of the rules. @throws InvalidConfigurationError as `checkGiven` does. */
export function checkValues<T extends object>(given: T, rules: Readonly<Record<string, ValueRule>>, within = ''): void {
  for (const [name, { is, expected, needed, secret }] of Object.entries(rules)) {
    const value: unknown = given[name as keyof T]
    if (value === undefined ? needed !== true : is(value)) continue
    const field = `${within}${name}`
    const kept = secret || Object(value) === value ? typeof value : value
    throw new InvalidConfigurationError(field, kept, expected, `${field} is ${secret ? typeOf(value) : kindOf(value)}`)
  }
}

/** What a value is, without the words of a text. */
const typeOf = (value: unknown): string => (typeof value === 'string' ? (value === '' ? 'empty' : 'a text') : kindOf(value))
