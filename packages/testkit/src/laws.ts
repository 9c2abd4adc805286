import type { CompactionPlan, Message } from '@precis/core'
import { isUserRequest } from '@precis/core'
import { toAnthropic, validateAnthropic } from './wire/anthropic.ts'
import { toGemini, validateGemini } from './wire/gemini.ts'
import { toOpenAIChat, validateOpenAIChat } from './wire/openai-chat.ts'
import { toOpenAIResponses, validateOpenAIResponses } from './wire/openai-responses.ts'

/** What one compaction was and gave, for the laws to look at. */
export interface LawCase {
  readonly history: readonly Message[]
  readonly context: readonly Message[]
  readonly plan: CompactionPlan
  readonly tokens: { readonly after: number; readonly budget: number | null }
  /** Calls at the end still wait for their results. */
  readonly pending?: boolean
}

/** Checks every law that one compaction must keep. @returns what is broken, in words; empty when all hold. */
export function brokenLaws(one: LawCase): readonly string[] {
  return [...conservation(one), ...identity(one), ...validity(one), ...budget(one), ...pins(one), ...roundTrip(one)]
}

/** Each source message is exactly one of kept, summarized now, dropped with a record, or represented by an earlier summary. */
function conservation({ history, plan }: LawCase): readonly string[] {
  const seen = new Map<number, string>()
  const broken: string[] = []
  for (const [name, indices] of Object.entries({ keep: plan.keep, summarize: plan.summarize, drop: plan.drop, represented: plan.represented })) {
    for (const index of indices) {
      if (seen.has(index)) broken.push(`conservation: message ${index} is in ${seen.get(index)} and in ${name}`)
      seen.set(index, name)
    }
  }
  for (let index = 0; index < history.length; index++) if (!seen.has(index)) broken.push(`conservation: message ${index} is nowhere`)
  for (const edit of plan.edits) if (!plan.keep.includes(edit.index)) broken.push(`conservation: message ${edit.index} is edited but not kept`)
  return broken
}

/** Kept, unedited, unmended messages are the caller's own objects, in the caller's order. */
function identity({ history, context, plan }: LawCase): readonly string[] {
  const touched = new Set([...plan.edits.map((edit) => edit.index), ...plan.repairs.map((repair) => repair.index)])
  const broken: string[] = []
  let from = 0
  for (const index of plan.keep) {
    if (touched.has(index)) continue
    const at = context.indexOf(history[index] as Message, from)
    if (at < 0) broken.push(`identity: kept message ${index} is not the caller's object, or out of order`)
    else from = at + 1
  }
  return broken
}

/** All four providers accept the context. */
function validity({ context, pending }: LawCase): readonly string[] {
  if (pending === true) return []
  const wires = [
    ['openai-chat', validateOpenAIChat(toOpenAIChat(context))],
    ['openai-responses', validateOpenAIResponses(toOpenAIResponses(context))],
    ['anthropic', validateAnthropic(toAnthropic(context))],
    ['gemini', validateGemini(toGemini(context))],
  ] as const
  return wires.flatMap(([name, found]) => found.map((violation) => `validity: ${name}: ${violation.message}`))
}

function budget({ tokens }: LawCase): readonly string[] {
  return tokens.budget !== null && tokens.after > tokens.budget ? [`budget: ${tokens.after} tokens after, ${tokens.budget} allowed`] : []
}

/** Pins and the newest user request are in the context as they are. */
function pins({ history, context }: LawCase): readonly string[] {
  const newest = history.findLastIndex(isUserRequest)
  return history.flatMap((message, index) => {
    const must = message.protected === true || message.role === 'system' || message.role === 'developer' || index === newest
    return must && !context.includes(message) ? [`pins: message ${index} (${message.role}) is not in the context as it was`] : []
  })
}

function roundTrip({ plan }: LawCase): readonly string[] {
  return JSON.stringify(JSON.parse(JSON.stringify(plan))) === JSON.stringify(plan) ? [] : ['round trip: the plan is not plain JSON']
}
