import { InvalidConfigurationError } from '../errors.ts'
import { isRecord } from '../history/json.ts'
import { nearest } from './nearest.ts'
import { type CompactionPolicy, type PolicyOverrides, summaryStyles, toolShapes } from './policy.ts'

/**
 * A new policy: `base` with the fields of `overrides` in their place, objects field by field, lists and amounts whole. `undefined` changes nothing; `null` removes
 * an optional field. Where `hard` is set below the `soft` of `base`, that comes down with it.
 *
 * @throws InvalidConfigurationError for a field that does not exist or cannot be meant; its `field` is the path.
 */
export function mergePolicy(base: CompactionPolicy, overrides: PolicyOverrides): CompactionPolicy {
  if (!isRecord(overrides)) refuse('policy', overrides, 'expected a policy such as presets.layered, or overrides')
  return checkedPolicy({ ...overrides, prune: overrides.prune === false ? noPruning : overrides.prune }, base)
}

/**
 * Checks a whole policy. Thresholds are compared where they share a unit.
 *
 * @returns The same policy, without fields that are null.
 * @throws InvalidConfigurationError for the first field or combination that cannot be meant; its `field` is the path.
 */
export function validatePolicy(policy: CompactionPolicy): CompactionPolicy {
  return checkedPolicy(policy)
}

/** Checks options beside a policy. @throws InvalidConfigurationError as for one. */
export function checkOptions(options: Plain): void {
  checkedFields('', options, besides)
}

/** What `prune: false` stands for. */
const noPruning: PolicyOverrides['prune'] = { ladder: [], maintain: [], view: { when: 'pressure' } }

/** A value that is an object of numbers, such as an amount, is shown as JSON; any other object not, as there may be keys in it. */
function refuse(field: string, value: unknown, expected: string): never {
  const amounts = isRecord(value) && Object.values(value).every(Number.isFinite)
  throw new InvalidConfigurationError(field, value, expected, amounts ? `${field} is ${JSON.stringify(value)}` : undefined)
}

type Plain = Readonly<Record<string, unknown>>

/** What a value must be: a number from the least one on, one of a list, what a function demands, or an object of such fields. */
type Rule = number | readonly unknown[] | ((field: string, value: unknown) => void) | Rules
/** Rules by field. `?` stands behind one that may be absent, `*?` for any name. */
export interface Rules {
  readonly [name: string]: Rule
}
/** The compiler asks for a rule for each field, and for its `?`. */
type RulesOf<T> = { readonly [F in keyof T & string as undefined extends T[F] ? `${F}?` : F]-?: Rule }

const flag = [true, false]
const authors = ['model', 'record', 'notice']
const threshold = amountIn('fraction', 'tokens', 'free')
const amount = amountIn('fraction', 'tokens')
const texts = listOf(checkText)

const rules = {
  trigger: {
    auto: flag,
    unknownLimits: ['no-trigger', 'error'],
    'soft?': threshold,
    background: flag,
    'of?': ['usable', 'window'],
    hard: threshold,
    'emergency?': threshold,
    target: threshold,
    count: listOf(['input', 'cacheRead', 'cacheWrite', 'output']),
    accounting: ['measured', 'calibrated'],
    outputCap: 1,
    buffer: 0,
    reserve: amount,
    media: { image: 0, document: 0, recording: 0, other: 0 },
    minimumGain: checkFraction,
    'request?': { 'bytes?': 1_000, 'media?': 0 },
  },
  retain: {
    turns: 0,
    messages: 0,
    tokens: amount,
    'firm?': flag,
    toolPairs: 0,
    'outputTokens?': 50,
    userRequests: amount,
    'newestRequest?': amount,
    roles: listOf(['system', 'developer', 'user', 'assistant', 'tool']),
    'semantic?': { clusters: 1, tokens: amount },
  },
  prune: {
    ladder: texts,
    maintain: texts,
    view: { tokens: 50, 'above?': 50, lineLength: 20, 'bytes?': 200, when: ['arrival', 'pressure'] },
    'store?': ['shortened', 'all'],
    staleReads: ['rewritten', 'edited'],
    age: { protect: amount, minimum: amount, steps: 0, userTurns: 0 },
    outputBudget: { fraction: checkFraction, least: 0, most: 0 },
    arguments: { tokens: 10, steps: 0 },
    errors: { steps: 0 },
    media: { keep: 0 },
    condense: { tokens: 50, steps: 0 },
    tools: { '*?': { 'keep?': ['always', 'prunable'], 'shape?': toolShapes, 'reproducible?': flag, 'pinned?': flag } },
  },
  summary: {
    author: authors,
    emergencyAuthor: authors,
    style: summaryStyles,
    fallbackStyle: summaryStyles,
    role: ['user', 'assistant', 'system'],
    neighbors: ['separate', 'joined'],
    request: ['serialized', 'prefix'],
    tokens: amount,
    record: amount,
    directives: texts,
    'prompt?': { 'system?': checkText, 'instruction?': checkText, 'examples?': listOf({ conversation: checkText, memory: checkText }) },
    'retain?': { prompt: checkText, directives: texts },
    protectedFields: texts,
    weights: { user: 0, assistant: 0, tool: 0 },
    grounding: ['off', 'mark', 'reject'],
    continuation(field, value) {
      if (value !== null && typeof value !== 'string') refuse(field, value, 'expected a text, or null for none')
    },
    deadline(field, value) {
      if (!isWithin(value, 1_000, Number.MAX_VALUE)) refuse(field, value, 'expected milliseconds: 30_000 for 30 seconds')
    },
  },
  cost: { 'prices?': { input: 0, cacheRead: 0, cacheWrite: 0, output: 0 }, cacheTtl: 0, warmGain: checkFraction, 'payback?': 1 },
} as const satisfies { readonly [K in keyof CompactionPolicy]: RulesOf<CompactionPolicy[K]> }

/** Options of a compactor: milliseconds, characters, and what tools declare. */
const besides = { effectDeadline: orMore(1), maxMemory: orMore(0), restAfter: orMore(0), 'personalData?': ['redact', 'keep'], 'tools?': rules.prune.tools }

/**
 * What `given` and, where it says nothing, `base` say, checked. Of two levels that contradict each other the one that was given is named; a soft one of the
 * base, which only tells, comes down to `hard`.
 */
function checkedPolicy(given: unknown, base?: CompactionPolicy): CompactionPolicy {
  const policy = checkedFields('', given, rules, Object(base)) as unknown as CompactionPolicy
  const { trigger, prune, cost } = policy
  checkNumber('prune.outputBudget.most', prune.outputBudget.most, prune.outputBudget.least)
  if (trigger.count.length === 0) refuse('trigger.count', trigger.count, 'expected at least one billed count, such as "input"')
  if (cost.payback !== undefined && !cost.prices) refuse('cost.payback', cost.payback, 'expected cost.prices beside it')
  for (const [low, high, least] of rising) {
    if (!(excess(trigger[low], trigger[high]) >= least)) continue
    const isGiven = trigger[low] !== base?.trigger[low]
    if (low === 'soft' && !isGiven) return { ...policy, trigger: { ...trigger, soft: trigger.hard } }
    const [named, other, wanted] = isGiven ? ([low, high, 'less'] as const) : ([high, low, 'more'] as const)
    refuse(`trigger.${named}`, trigger[named], `expected ${wanted} than trigger.${other}, which is ${JSON.stringify(trigger[other])}`)
  }
  return policy
}

/** Names and values of fields, as the rules demand them. @throws InvalidConfigurationError */
export function checkedFields(path: string, given: unknown, demanded: Rules, base: Plain = {}): Plain {
  if (!isRecord(given)) refuse(path || 'policy', given, demanded['*?'] ? 'write { bash: { shape } }' : 'expected an object')
  const beside = Object.keys(demanded).map((key) => key.replace('?', ''))
  const fields: Record<string, unknown> = {}
  for (const name of new Set([...Object.keys({ ...base, ...given }), ...beside])) {
    const key = keyOf(demanded, name)
    const field = path + (path && '.') + name
    const value = given[name] === undefined ? base[name] : given[name]
    if (key === name || (key && value !== null && value !== undefined)) fields[name] = checked(field, value, demanded[key] as Rule, base[name])
    else if (!key && value !== undefined) {
      const group = Object.keys(rules).find((one) => keyOf(rules[one as keyof typeof rules], field))
      const names = beside.map((one) => field.slice(0, -name.length) + one)
      const meant = group ? `${group}.${field}` : /^presets?$/.test(field) ? 'policy: presets.layered' : nearest(names, field)
      throw new InvalidConfigurationError(field, value, `write ${meant ?? `one such as ${beside.join(', ')}`}`, `unknown field "${field}"`)
    }
  }
  return fields
}

/** Under which name the rules have a field. */
function keyOf(demanded: Rules, name: string): string | undefined {
  return [name, `${name}?`, '*?'].find((key) => Object.hasOwn(demanded, key))
}

/** The value; of an object what it has, and `base` where it says nothing. */
function checked(field: string, value: unknown, rule: Rule, base?: unknown): unknown {
  if (typeof rule === 'number') checkNumber(field, value, rule)
  else if (typeof rule === 'function') rule(field, value)
  else if (!Array.isArray(rule)) return checkedFields(field, value, rule as Rules, Object(base))
  else if (!rule.includes(value)) refuse(field, value, `expected one of ${rule.join(', ')}`)
  return value
}

/** Levels, the one that each may not exceed, and from how much on it does: a target is below `hard`, the others may be equal. */
const rising = [
  ['target', 'hard', 0],
  ['hard', 'emergency', Number.MIN_VALUE],
  ['soft', 'hard', Number.MIN_VALUE],
] as const

/** How far one level is above another; no number where their units differ or one is absent. */
function excess(lower: unknown, upper: unknown): number {
  const [unit = ''] = Object.keys(Object(lower))
  return (Object(lower)[unit] - Object(upper)[unit]) * (unit === 'free' ? -1 : 1)
}

function amountIn(...units: readonly string[]): Rule {
  return (field, value) => {
    const unit = String(Object.keys(Object(value)))
    const number = typeof value === 'number' ? value : Object(value)[unit]
    // Less than one token is a share that was meant.
    if (units.includes(unit) && (unit === 'fraction' || !(number > 0 && number < 1)))
      checked(`${field}.${unit}`, number, unit === 'fraction' ? checkFraction : 0)
    else {
      const fraction = unit !== 'free' && number > 0 && number <= 1 ? number : 0.5
      refuse(field, value, `write { fraction: ${fraction} }, { tokens: 50_000 } or, for thresholds, { free: 20_000 }`)
    }
  }
}

function listOf(rule: Rule): Rule {
  return (field, value) => {
    if (!Array.isArray(value)) refuse(field, value, 'expected a list')
    for (const [at, item] of value.entries()) checked(`${field}.${at}`, item, rule)
  }
}

function checkText(field: string, value: unknown): void {
  if (typeof value !== 'string') refuse(field, value, 'expected a text')
}

function checkFraction(field: string, value: unknown): void {
  if (!isWithin(value, 0, 1)) refuse(field, value, 'expected a fraction from 0 to 1')
}

export function orMore(least: number): Rule {
  return (field, value) => checkNumber(field, value, least, Infinity)
}

function checkNumber(field: string, value: unknown, least: number, most = Number.MAX_VALUE): void {
  if (!isWithin(value, least, most)) refuse(field, value, `expected a number ≥ ${least}`)
}

function isWithin(value: unknown, least: number, most: number): boolean {
  return typeof value === 'number' && value >= least && value <= most
}
