import type { CompactionReport } from '@precis/core'
import { schemaMarks } from './schema.ts'

/** What a stored chat says of a compaction: a receipt for people. State is never read back from it: that lives in the storage alone, so a client can send what it likes. */
export interface CompactionData {
  readonly checkpoint: string
  readonly outcome: string
  readonly reason: string
  /** Tokens of the context, before and after. */
  readonly tokensBefore: number
  readonly tokensAfter: number
  /** Messages that the summary speaks for, that are shown shortened, and that left without a summary. */
  readonly summarized: number
  readonly edited: number
  readonly dropped: number
}

/** A data part of the AI SDK's UIMessages. */
export interface CompactionPart {
  readonly type: 'data-compaction'
  readonly id: string
  readonly data: CompactionData
}

/** The writer of `createUIMessageStream`, as far as we use it. */
export interface PartWriter {
  /** As the `writer` of a UI message stream. */
  // biome-ignore lint/suspicious/noExplicitAny: the SDK's own part type depends on the chat's message type
  write(part: any): void
}

/** The data part for a receipt; undefined when nothing was compacted. */
export function compactionPart(report: CompactionReport): CompactionPart | undefined {
  const { checkpoint, outcome, plan, tokens, messages } = report
  if (checkpoint === undefined || outcome === 'unchanged' || outcome === 'projected') return undefined
  const { summarized, edited, dropped } = messages
  return {
    type: 'data-compaction',
    id: checkpoint,
    data: { checkpoint, outcome, reason: plan.decision.reason, tokensBefore: tokens.before, tokensAfter: tokens.after, summarized, edited, dropped },
  }
}

const fields: Readonly<Record<keyof CompactionData, 'string' | 'number'>> = {
  checkpoint: 'string',
  outcome: 'string',
  reason: 'string',
  tokensBefore: 'number',
  tokensAfter: 'number',
  summarized: 'number',
  edited: 'number',
  dropped: 'number',
}

type Validation = { readonly success: true; readonly value: CompactionData } | { readonly success: false; readonly error: Error }

function validate(value: unknown): Validation {
  const given = (typeof value === 'object' && value !== null ? value : {}) as Readonly<Record<string, unknown>>
  const wrong = Object.entries(fields).find(([name, type]) => typeof given[name] !== type || (type === 'number' && !Number.isFinite(given[name])))
  if (wrong !== undefined)
    return { success: false, error: new Error(`data-compaction: expected "${wrong[0]}" to be a ${wrong[1]}, got ${typeof given[wrong[0]]}`) }
  const extra = Object.keys(given).find((name) => !(name in fields))
  if (extra !== undefined) return { success: false, error: new Error(`data-compaction: unknown field "${extra}"`) }
  return { success: true, value: given as unknown as CompactionData }
}

/** For `validateUIMessages({ dataSchemas: { compaction: compactionDataSchema } })` and `safeValidateUIMessages`, in every major. */
export const compactionDataSchema = {
  ...schemaMarks,
  jsonSchema: {
    type: 'object',
    properties: Object.fromEntries(Object.entries(fields).map(([name, type]) => [name, { type }])),
    required: Object.keys(fields),
    additionalProperties: false,
  },
  validate,
  // biome-ignore lint/suspicious/noExplicitAny: the SDK's own schema type differs by major; it knows schemas by their marks
} as any
