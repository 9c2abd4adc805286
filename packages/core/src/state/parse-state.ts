import { isRecord, parseJson } from '../history/json.ts'
import type { Checkpoint } from './checkpoint.ts'
import type { CompactionState } from './state.ts'

type Check = (value: unknown) => boolean

/** No prompt has that many Tokens, no history that many messages: larger numbers are damage, and arithmetic with them does not end. */
const largest = 100_000_000
/** Each of those that a checkpoint covers is gone through. */
const mostMessages = 1_000_000
/** What a provider counts is between a hundredth of our estimate and a hundred times it; measured factors lie within 0.5 and 3. */
const factors = [0.01, 100] as const

const text: Check = (value) => typeof value === 'string'
const flag: Check = (value) => typeof value === 'boolean'
const isNumber: Check = (value) => typeof value === 'number' && value >= 0
const amount: Check = (value) => isNumber(value) && (value as number) <= largest
const signed: Check = (value) => typeof value === 'number' && Math.abs(value) <= largest
const whole: Check = (value) => amount(value) && Number.isInteger(value)

const listOf =
  (check: Check): Check =>
  (value) =>
    Array.isArray(value) && value.every(check)
const optional =
  (check: Check): Check =>
  (value) =>
    value === undefined || check(value)
const orNull =
  (check: Check): Check =>
  (value) =>
    value === null || check(value)
/** An object whose known fields are sound. Fields that are not known are kept as they are. */
const fields = (checks: Readonly<Record<string, Check>>) => {
  const named = Object.entries(checks)
  return (value: unknown): value is Readonly<Record<string, unknown>> => isRecord(value) && named.every(([name, check]) => check(value[name]))
}

const tokens = fields({ before: amount, after: amount })
const summary = fields({
  version: whole,
  text,
  record: text,
  retained: optional(text),
  sections: (value) => isRecord(value) && Object.values(value).every(text),
  missing: listOf(text),
  quality: fields({ empty: listOf(text), unsupported: listOf(text), failedAttempts: fields({ known: whole, kept: whole }) }),
})
const isEdit = fields({ index: whole, callId: text, kind: text, text, freed: signed, part: optional(whole) })
/** Arguments are read again by the framework: they have to be an object. */
const edit: Check = (value) => isEdit(value) && (value['kind'] !== 'arguments' || isRecord(parseJson(value['text'] as string)))
const isCheckpoint = fields({
  id: text,
  version: whole,
  covered: whole,
  length: whole,
  fingerprint: text,
  began: optional(fields({ behind: text, sketch: text })),
  ends: optional(text),
  gone: optional(fields({ after: whole, count: whole })),
  unsaid: optional(listOf(whole)),
  kept: listOf(whole),
  dropped: listOf(whole),
  edits: listOf(edit),
  summary: optional(summary),
  reason: text,
  note: optional(text),
  automatic: flag,
  tokens,
  usable: optional(amount),
  parent: optional(text),
})
const checkpoint: Check = (value) => isCheckpoint(value) && keepsOrder(value as unknown as Checkpoint)

const state = fields({
  format: (value) => value === 1,
  checkpoints: listOf(checkpoint),
  calibration: fields({
    factor: (value) => typeof value === 'number' && value >= factors[0] && value <= factors[1],
    overhead: amount,
    learnedOf: optional(fields({ model: orNull(text), endpoint: optional(text), at: isNumber })),
    learnedWindow: optional((value) => amount(value) && value !== 0),
    last: optional(fields({ estimate: amount, actual: amount, media: optional(amount) })),
    attached: optional(amount),
    learnedRequest: optional(fields({ media: optional(isNumber), bytes: optional(isNumber), model: orNull(text), endpoint: optional(text), at: isNumber })),
    accepted: optional(fields({ tokens: amount })),
  }),
  anchor: optional(
    fields({
      length: whole,
      fingerprint: optional(text),
      checkpoint: orNull(text),
      model: orNull(text),
      endpoint: optional(text),
      estimate: optional(amount),
      usage: fields({ input: amount, cacheRead: amount, cacheWrite: amount, output: amount }),
    }),
  ),
  breaker: fields({ failures: whole, sizeAfter: optional(amount) }),
  pending: optional(fields({ by: (value) => value === 'loop' || value === 'user' || value === 'agent', focus: optional(text), said: optional(listOf(text)) })),
  rewound: optional(listOf(text)),
  continues: optional(text),
  forgotten: optional(fields({ at: isNumber, said: listOf(text) })),
})

/** Reads a state that was stored as JSON. @returns undefined for anything that this version did not write: damaged, of another format, or with numbers that nobody measured. */
export function parseState(json: string): CompactionState | undefined {
  // The record of a summary was called its digest once. Within a text a quotation mark is escaped: this is a name.
  const value = parseJson(json.includes('"record":') ? json : json.replaceAll('"digest":', '"record":'))
  return state(value) ? (value as unknown as CompactionState) : undefined
}

/** Messages that are still shown, from the first to the last of those that a checkpoint covers, and places among these. */
function keepsOrder({ kept, covered, edits }: Checkpoint): boolean {
  return (
    covered <= mostMessages &&
    edits.every(({ index }) => index < covered) &&
    kept.every((index, at) => index < covered && (at === 0 || index > (kept[at - 1] as number)))
  )
}
