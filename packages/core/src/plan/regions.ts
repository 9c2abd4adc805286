import { memoized } from '../history/memoize.ts'
import type { Tokens } from '../history/message.ts'
import { keptGroups, type Partition } from '../partition/partition.ts'
import { type Context, editsOf, type Measured, type Regions, sizeOf, sourceRepairs } from './context.ts'
import { usualPartition } from './retain.ts'

const regionsFor = new WeakMap<Context, Regions>()

/** Tokens of the context as it is, by region. */
export function regionsOf(context: Context): Regions {
  return memoized(regionsFor, context, () => {
    const parts = usualPartition(context)
    return { ...regionsAfter(context, parts, context.summary), history: sizeOf(context, parts.remainder) }
  })
}

/** The same as they will be after a partition: its remainder gone, `summary` (Tokens) in its place. */
export function regionsAfter(context: Context, parts: Partition, summary: Tokens): Regions {
  const input = context.sizes[context.newestRequest] ?? 0
  const pinned = sizeOf(context, parts.pinned)
  const recent = sizeOf(context, keptGroups(parts)) - pinned
  const { system, tools, memory } = context.overhead
  return { system, tools, memory, pinned: pinned - input, summary, history: 0, recent, input }
}

/** A context by its numbers and what must be changed before it is sent. */
export function measured(context: Context): Measured {
  return {
    total: context.total,
    estimate: context.estimate,
    media: context.media,
    regions: regionsOf(context),
    edits: editsOf(context),
    repairs: sourceRepairs(context),
  }
}
