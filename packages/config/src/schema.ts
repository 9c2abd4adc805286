import { type CompactionPolicy, type PresetName, presets, rungs, summaryStyles, toolShapes } from '@precis/core'
import { z } from 'zod'
import { parseTokens } from './quantities.ts'

const zeroToOne = 'expected a number from 0 to 1'
const fraction = z.number(zeroToOne).min(0, zeroToOne).max(1, zeroToOne)
const wholeTokens = 'expected whole tokens: 128000, 128,000, 200k or 1M'
const tokens = z.preprocess(
  (value) => (typeof value === 'string' ? (parseTokens(value) ?? value) : value),
  z.number(wholeTokens).int(wholeTokens).min(0, wholeTokens),
)
const amount = z.union([z.strictObject({ fraction }), z.strictObject({ tokens })], 'expected { fraction } (0 to 1) or { tokens }')
const threshold = z.union(
  [z.strictObject({ fraction }), z.strictObject({ tokens }), z.strictObject({ free: tokens })],
  'expected { fraction } (0 to 1), { tokens } or { free }',
)
const price = z.number().min(0)
/** Given whole: a cost that lacks one of them is none. */
const prices = z.strictObject({ input: price, cacheRead: price, cacheWrite: price, output: price })
const count = z.number().int().min(0)
const style = z.enum(summaryStyles)
const rung = z.enum(rungs)

const toolPolicy = z.strictObject({
  keep: z.enum(['always', 'prunable']).optional(),
  shape: z.enum(toolShapes).optional(),
  reproducible: z.boolean().optional(),
  pinned: z.boolean().optional(),
})

/** The same type, with undefined where a field may be left out: zod does not tell the two apart. */
type Loose<T> = T extends readonly (infer Item)[]
  ? readonly Loose<Item>[]
  : T extends object
    ? { readonly [Name in keyof T]: Loose<T[Name]> | (undefined extends T[Name] ? undefined : never) }
    : T

/** A whole policy. The compiler checks that it gives what `CompactionPolicy` wants, a test that it has no field more or less. */
export const policySchema: z.ZodType<Loose<CompactionPolicy>> = z.strictObject({
  trigger: z.strictObject({
    auto: z.boolean(),
    unknownLimits: z.enum(['no-trigger', 'error']),
    of: z.enum(['usable', 'window']).optional(),
    soft: threshold.optional(),
    background: z.boolean(),
    hard: threshold,
    emergency: threshold.optional(),
    target: threshold,
    count: z.array(z.enum(['input', 'cacheRead', 'cacheWrite', 'output'])),
    accounting: z.enum(['measured', 'calibrated']),
    outputCap: tokens,
    buffer: tokens,
    reserve: amount,
    media: z.strictObject({ image: tokens, document: tokens, recording: tokens, other: tokens }),
    minimumGain: fraction,
    request: z.strictObject({ bytes: count.optional(), media: count.optional() }).optional(),
  }),
  retain: z.strictObject({
    turns: count,
    messages: count,
    tokens: amount,
    toolPairs: count,
    firm: z.boolean().optional(),
    outputTokens: tokens.optional(),
    userRequests: amount,
    newestRequest: amount.optional(),
    roles: z.array(z.enum(['system', 'developer', 'user', 'assistant', 'tool'])),
    semantic: z.strictObject({ clusters: count, tokens: amount }).optional(),
  }),
  prune: z.strictObject({
    ladder: z.array(rung),
    maintain: z.array(rung),
    view: z.strictObject({ tokens, above: tokens.optional(), lineLength: count, bytes: count.optional(), when: z.enum(['arrival', 'pressure']) }),
    store: z.enum(['shortened', 'all']).optional(),
    staleReads: z.enum(['rewritten', 'edited']),
    age: z.strictObject({ protect: amount, minimum: amount, steps: count, userTurns: count }),
    outputBudget: z.strictObject({ fraction, least: tokens, most: tokens }),
    arguments: z.strictObject({ tokens, steps: count }),
    errors: z.strictObject({ steps: count }),
    media: z.strictObject({ keep: count }),
    condense: z.strictObject({ tokens, steps: count }),
    tools: z.record(z.string(), toolPolicy),
  }),
  summary: z.strictObject({
    author: z.enum(['model', 'record', 'notice']),
    emergencyAuthor: z.enum(['model', 'record', 'notice']),
    style,
    fallbackStyle: style,
    role: z.enum(['user', 'assistant', 'system']),
    request: z.enum(['serialized', 'prefix']),
    tokens: amount,
    record: amount,
    directives: z.array(z.string()),
    prompt: z
      .strictObject({
        system: z.string().optional(),
        instruction: z.string().optional(),
        examples: z.array(z.strictObject({ conversation: z.string(), memory: z.string() })).optional(),
      })
      .optional(),
    retain: z.strictObject({ prompt: z.string(), directives: z.array(z.string()) }).optional(),
    protectedFields: z.array(z.string()),
    weights: z.strictObject({ user: z.number(), assistant: z.number(), tool: z.number() }),
    grounding: z.enum(['off', 'mark', 'reject']),
    neighbors: z.enum(['separate', 'joined']),
    continuation: z.string().nullable(),
    deadline: z.number().min(1_000, 'expected milliseconds: 30_000 for 30 seconds'),
  }),
  cost: z.strictObject({
    prices: prices.optional(),
    cacheTtl: z.number(),
    warmGain: fraction,
    payback: z.number().optional(),
  }),
})

/** Every object's fields become optional, and null where leaving out is a choice of its own. */
function partial(schema: z.ZodType): z.ZodType {
  if (!(schema instanceof z.ZodObject)) return schema
  const shape = schema.shape as Record<string, z.ZodType>
  const isAmount = Object.keys(shape).length === 1
  if (isAmount || schema === prices) return schema
  const fields = Object.entries(shape).map(([name, field]) => {
    const inner = field instanceof z.ZodOptional ? (field.unwrap() as z.ZodType) : field
    const open = partial(inner)
    return [name, field instanceof z.ZodOptional ? open.nullable().optional() : open.optional()] as const
  })
  return z.strictObject(Object.fromEntries(fields))
}

/** As `PolicyOverrides`: `prune: false` switches off what shortens outputs. */
const overrides = partial(policySchema) as z.ZodObject<{ prune: z.ZodOptional<z.ZodType> }>
const policyOverrides = overrides.extend({ prune: z.union([z.literal(false), overrides.shape.prune.unwrap()], 'expected fields, or false').optional() })

const presetNames = Object.keys(presets) as [PresetName, ...PresetName[]]

/** What a maker of a storage or an exporter is given: values, and values by the names of variables. */
const given = { options: z.record(z.string(), z.unknown()).optional(), variables: z.record(z.string(), z.string()).optional() }
const ownModule = z.string().regex(/^(?:\.{0,2}\/|[A-Za-z]:[\\/])/, 'expected a path that begins with ./, ../ or /, relative to this file')

const keyId = z.string().regex(/^[\w.-]{1,200}$/, 'expected letters, digits, _, . and -, at most 200')
const keyVariable = z.string().regex(/^[A-Za-z_]\w{0,99}$/, 'expected the name of the variable that holds the key, such as PRECIS_KEY')

/** What a configuration file may hold: a preset's name, and what is different from it. */
export const configSchema: z.ZodType = z.strictObject({
  preset: z.enum(presetNames).optional(),
  policy: policyOverrides.optional(),
  model: z.strictObject({ contextWindow: tokens, maxInput: tokens.optional(), maxOutput: tokens.optional(), maxMedia: tokens.optional() }).optional(),
  storage: z
    .discriminatedUnion('adapter', [
      z.strictObject({ adapter: z.literal('memory') }),
      z.strictObject({ adapter: z.literal('fs'), path: z.string().min(1, 'expected a folder') }),
      z.strictObject({
        adapter: z.literal('s3'),
        bucket: z.string().min(1, 'expected the name of a bucket'),
        prefix: z.string().optional(),
        region: z.string().optional(),
      }),
      z.strictObject({
        adapter: z.literal('unstorage'),
        driver: z.string().regex(/^[a-z0-9-]+$/, 'expected the name of a driver of unstorage, such as redis or db0'),
        ...given,
      }),
      z.strictObject({ adapter: z.literal('custom'), module: ownModule, ...given }),
    ])
    .optional(),
  archive: z.boolean().optional(),
  retention: z.union([z.strictObject({ days: z.number().gt(0) }), z.literal(false)], 'expected { days } or false').optional(),
  telemetry: z
    .discriminatedUnion('exporter', [
      z.strictObject({ exporter: z.literal('console'), format: z.enum(['line', 'json']).optional() }),
      z.strictObject({
        exporter: z.literal('otlp'),
        endpoint: z
          .string()
          .regex(/^https?:\/\/./, 'expected an address that begins with http:// or https://')
          .optional(),
        protocol: z.enum(['json', 'protobuf']).optional(),
        metrics: z.boolean().optional(),
      }),
      z.strictObject({ exporter: z.literal('custom'), module: ownModule, ...given }),
    ])
    .optional(),
  outputs: z.strictObject({ keep: z.enum(['shortened', 'all']).optional() }).optional(),
  encryption: z.strictObject({ keyId, keyVariable, olderKeys: z.record(keyId, keyVariable).optional() }).optional(),
  redaction: z
    .strictObject({
      enabled: z.boolean().optional(),
      personal: z.boolean().optional(),
      personalData: z.enum(['redact', 'keep']).optional(),
      patterns: z
        .array(
          z.strictObject({
            tag: z.string().regex(/^[a-z0-9-]{1,40}$/, 'expected small letters, digits and -, at most 40'),
            pattern: z.string(),
            ignoreCase: z.boolean().optional(),
          }),
        )
        .optional(),
    })
    .optional(),
})

/** JSON Schema of a configuration file, for editors. */
export function configJsonSchema(): Record<string, unknown> {
  return z.toJSONSchema(configSchema, {
    override({ zodSchema, jsonSchema }) {
      if (zodSchema !== tokens) return
      const { type, minimum, maximum } = jsonSchema
      for (const name of Object.keys(jsonSchema)) delete jsonSchema[name]
      jsonSchema.anyOf = [
        { type, minimum, maximum },
        { type: 'string', pattern: '^[0-9][0-9_,.]*[kKmM]?$' },
      ] as typeof jsonSchema.anyOf & object
    },
  }) as Record<string, unknown>
}
