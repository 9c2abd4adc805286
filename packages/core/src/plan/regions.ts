import { memoized } from '../history/memoize.ts'
import type { Tokens } from '../history/message.ts'
import type { Partition } from '../partition/partition.ts'
import { type Context, editsOf, type Measured, type Regions, sizeOf, sourceRepairs } from './context.ts'
import { usualPartition } from './retain.ts'

const regionsFor = new WeakMap<Context, Regions>()

/** Tokens by region; with a partition, as they will be after it: the remainder gone, `summary` in its place. */
export function regionsOf(context: Context, partition?: Partition, summary: Tokens = context.summary): Regions {
  return partition ? countRegions(context, partition, summary) : memoized(regionsFor, context, () => countRegions(context, partition, summary))
}

function countRegions(context: Context, partition: Partition | undefined, summary: Tokens): Regions {
  const parts = partition ?? usualPartition(context)
  const input = context.sizes[context.newestRequest] ?? 0
  const pinned = sizeOf(context, parts.pinned) - input
  const history = partition ? 0 : sizeOf(context, parts.remainder)
  const recent = sizeOf(context, [...parts.recent, ...parts.toolPairs, ...parts.related])
  const { system, tools, memory } = context.overhead
  return { system, tools, memory, pinned, summary, history, recent, input }
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
