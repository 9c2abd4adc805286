import { InvalidConfigurationError } from '../errors.ts'
import { isRecord } from '../history/json.ts'
import { nearest } from './nearest.ts'
import type { CompactionPolicy, PolicyOverrides } from './policy.ts'

/**
 * A new policy: `base` with the fields of `overrides` in their place, objects field by field, lists and amounts whole. `undefined` changes nothing; `null` removes
 * an optional field.
 *
 * @throws InvalidConfigurationError for a field that does not exist or cannot be meant; its `field` is the path.
 */
export function mergePolicy(base: CompactionPolicy, overrides: PolicyOverrides): CompactionPolicy {
  if (!isRecord(overrides)) refuse('policy', overrides, 'expected a policy such as presets.layered, or overrides')
  const { prune } = overrides
  return validatePolicy(
    merge(base as unknown as Plain, { ...overrides, prune: prune === false ? noPruning : prune } as unknown as Plain, '') as unknown as CompactionPolicy,
  )
}

/** What `prune: false` stands for. */
const noPruning: PolicyOverrides['prune'] = { ladder: [], maintain: [], view: { when: 'pressure' } }

/** A value that is an object of numbers, such as an amount, is shown as JSON; any other object not, as there may be keys in it. */
function refuse(field: string, value: unknown, expected: string): never {
  const amounts = isRecord(value) && Object.values(value).every(Number.isFinite)
  throw new InvalidConfigurationError(field, value, expected, amounts ? `${field} is ${JSON.stringify(value)}` : undefined)
}

type Plain = Readonly<Record<string, unknown>>

/** Fields that a policy may be without. */
const optional: ReadonlySet<string> = new Set([
  'trigger.soft',
  'trigger.of',
  'trigger.emergency',
  'trigger.request',
  'trigger.request.bytes',
  'trigger.request.media',
  'retain.semantic',
  'retain.newestRequest',
  'retain.outputTokens',
  'retain.firm',
  'prune.store',
  'prune.view.above',
  'prune.view.bytes',
  'summary.prompt',
  'summary.retain',
  'cost.prices',
  'cost.payback',
])

function merge(base: Plain, overrides: Plain, path: string): Plain {
  const merged: Record<string, unknown> = { ...base }
  for (const [name, value] of Object.entries(overrides)) {
    if (value === undefined) continue
    const before = base[name]
    const field = path === '' ? name : `${path}.${name}`
    checkKind(field, name, base, value, path === 'prune.tools' || optional.has(field) || optional.has(path))
    if (value === null && name !== 'continuation') delete merged[name]
    else merged[name] = isRecord(before) && isRecord(value) && !isAmount(before) ? merge(before, value, field) : value
  }
  return merged
}

/** What a policy written in plain JavaScript can get wrong before any number is looked at. `field` is the path of `name`, which is or would be a field of `base`. */
function checkKind(field: string, name: string, base: Plain, value: unknown, mayBeAbsent: boolean): void {
  const before = base[name]
  if (field === 'summary.continuation') {
    if (value !== null && typeof value !== 'string') refuse(field, value, 'expected a text, or null for none')
  } else if (value === null) {
    if (!mayBeAbsent) refuse(field, value, 'this field cannot be removed')
  } else if (before === undefined) {
    if (mayBeAbsent) return
    const beside = Object.keys(base)
    const group = Object.keys(rules).find((own) => field in rules[own as keyof typeof rules])
    const meant = group ? `${group}.${field}` : nearest([...beside.map((own) => field.slice(0, -name.length) + own), ...optional], field)
    throw new InvalidConfigurationError(field, value, `write ${meant ?? `one such as ${beside.join(', ')}`}`, `unknown field "${field}"`)
  } else if (kindOf(before) !== kindOf(value) && !isAmount(before)) {
    refuse(field, value, `expected ${kindOf(before)}`)
  }
}

function kindOf(value: unknown): string {
  return Array.isArray(value) ? 'a list' : typeof value === 'object' ? 'an object' : `a ${typeof value}`
}

function isAmount(value: unknown): value is Plain {
  return /^(?:fraction|tokens|free)$/.test(`${Object.keys(Object(value))}`)
}

/** What a field's value must be: a number from the least one on, what a function demands, or an object of such fields. */
type Rule = number | ((field: string, value: unknown) => void) | Rules
interface Rules {
  readonly [name: string]: Rule
}

const rules: { readonly [K in keyof CompactionPolicy]: { readonly [F in keyof CompactionPolicy[K]]?: Rule } } = {
  trigger: {
    soft: checkAmount,
    hard: checkAmount,
    emergency: checkAmount,
    target: checkAmount,
    reserve: checkAmount,
    minimumGain: checkFraction,
    outputCap: 1,
    buffer: 0,
    media: { image: 0, document: 0, recording: 0, other: 0 },
    request: { bytes: 1_000, media: 0 },
  },
  retain: {
    turns: 0,
    messages: 0,
    toolPairs: 0,
    tokens: checkAmount,
    userRequests: checkAmount,
    newestRequest: checkAmount,
    outputTokens: 50,
    semantic: { clusters: 1, tokens: checkAmount },
  },
  prune: {
    view: { tokens: 50, above: 50, lineLength: 20, bytes: 200 },
    age: { protect: checkAmount, minimum: checkAmount },
    outputBudget: { fraction: checkFraction, least: 0, most: 0 },
    arguments: { tokens: 10 },
    condense: { tokens: 50 },
    media: { keep: 0 },
  },
  summary: { tokens: checkAmount, record: checkAmount, deadline: 1, weights: { user: 0, assistant: 0, tool: 0 } },
  cost: { cacheTtl: 0, warmGain: checkFraction, payback: 1 },
}

function checkFields(value: unknown, demanded: Rules, path: string): void {
  if (!isRecord(value)) refuse(path, value, 'expected an object')
  for (const [name, rule] of Object.entries(demanded)) {
    const field = path === '' ? name : `${path}.${name}`
    const own = value[name]
    if (own === undefined && optional.has(field)) continue
    if (typeof rule === 'number') checkCount(field, own, rule)
    else if (typeof rule === 'function') rule(field, own)
    else checkFields(own, rule, field)
  }
}

/**
 * Checks a whole policy. Thresholds are compared where they share a unit.
 *
 * @returns The policy itself.
 * @throws InvalidConfigurationError for the first number or combination that cannot be meant; its `field` is the path.
 */
export function validatePolicy(policy: CompactionPolicy): CompactionPolicy {
  const { trigger, prune, summary, cost } = policy
  checkFields(policy, rules, '')
  checkCount('prune.outputBudget.most', prune.outputBudget.most, prune.outputBudget.least)
  // An amount has one of these units: what it lacks is neither above nor below.
  const [target, hard] = [trigger.target, trigger.hard] as unknown as readonly [Units, Units]
  if (target.fraction >= hard.fraction || target.tokens >= hard.tokens || target.free <= hard.free) {
    refuse('trigger.target', target, `expected less than trigger.hard, which is ${JSON.stringify(hard)}`)
  }
  if (trigger.count.length === 0) refuse('trigger.count', trigger.count, 'expected at least one billed count, such as "input"')
  if (summary.retain !== undefined && !Array.isArray(summary.retain.directives)) refuse('summary.retain', summary.retain, 'expected { prompt, directives }')
  if (cost.payback !== undefined && cost.prices === undefined) {
    refuse('cost.payback', cost.payback, 'expected cost.prices beside it')
  }
  return policy
}

interface Units {
  readonly fraction: number
  readonly tokens: number
  readonly free: number
}

function checkAmount(field: string, amount: unknown): void {
  if (!isAmount(amount)) {
    const fraction = typeof amount === 'number' && amount > 0 && amount <= 1 ? amount : 0.5
    refuse(field, amount, `write { fraction: ${fraction} }, { tokens: 50_000 } or, for thresholds, { free: 20_000 }`)
  }
  for (const [unit, value] of Object.entries(amount)) {
    if (unit === 'fraction') checkFraction(`${field}.${unit}`, value)
    else checkCount(`${field}.${unit}`, value, 0)
  }
}

function checkFraction(field: string, value: unknown): void {
  if (!(typeof value === 'number' && value >= 0 && value <= 1)) refuse(field, value, 'expected a fraction from 0 to 1')
}

function checkCount(field: string, value: unknown, smallest: number): void {
  if (!(typeof value === 'number' && value >= smallest && Number.isFinite(value))) refuse(field, value, `expected a number ≥ ${smallest}`)
}
