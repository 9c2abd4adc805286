import { type CompactionSession, createCompactor, type PolicyOverrides } from '@precis/core'
import { givenOptions, withSharedStorage } from '@precis/core/adapters'
import { createRedactor } from '@precis/redaction'
import type { AgentItem } from '@precis/wire/openai-agents'
import type { CompactionOptions } from './door.ts'
import { expectKept, isExpected, noteKept, noteNamed, noteShown, wasKept } from './layers.ts'
import { readOverhead } from './overhead.ts'
import { codecFor } from './protect.ts'
import { guarded } from './warnings.ts'

interface FilterArguments {
  readonly modelData: { readonly input: AgentItem[]; readonly instructions?: string }
  readonly context?: unknown
}

/**
 * For `callModelInputFilter`: runs before every model call of a run. What it returns must not change the session: kept items are handed back as they came,
 * and the summary is written into the copy of an item that leaves, because the SDK stores what it cannot find among its own.
 * Sees neither tools nor usage; where that matters, prefer `withCompaction`.
 */
// biome-ignore lint/suspicious/noExplicitAny: the arguments have the SDK's own types, which differ by version
export function compactionFilter(options: CompactionOptions = {}): (args: any) => Promise<any> {
  const { onWarning, protect, session: named, ...rest } = givenOptions(options)
  // A joined message would take the place of the run's own request, which the SDK then could not find again.
  const { policy: own } = rest
  const policy = typeof own === 'function' ? (model: string) => separate(own(model)) : separate(own)
  const codec = codecFor({ protect, onWarning })
  const compactor = createCompactor<AgentItem>({ redact: createRedactor(), ...withSharedStorage(rest, 'filter'), policy, codec })
  const sessionOf = (input: readonly AgentItem[]): CompactionSession<AgentItem> =>
    named === undefined ? compactor.conversation(input) : compactor.session(named)
  if (named !== undefined && rest.storage !== undefined) noteNamed(['view'], named)
  const filtered = async ({ modelData }: FilterArguments): Promise<FilterArguments['modelData']> => {
    const { input, instructions } = modelData
    const isLeft = named !== undefined && isExpected('filter', named)
    if (isLeft) expectKept('filter', named, false)
    if (isDelta(input) || wasKept('filter', input, codec) || isLeft) return modelData
    const { messages, report } = await sessionOf(input).beforeModelCall(input, { overhead: readOverhead({ systemInstructions: instructions }) })
    noteKept(['view'], input, codec, report)
    if (messages === input) return modelData
    noteShown(messages, input, codec)
    const { plan } = report
    const kept = new Set(messages)
    const calls = new Set(input.map((item) => `${item.type}\u0000${item.callId ?? ''}`))
    // Items that leave, the newest request never among them: each can carry one message of ours.
    const carriers = [...plan.summarize, ...plan.drop, ...plan.represented]
      .toSorted((a, b) => a - b)
      .flatMap((index) => (input[index] === undefined || kept.has(input[index]) ? [] : [input[index]]))
    const own = new Set(input)
    const result = messages.map((message) => {
      // Shortened results are found by their call id.
      if (own.has(message)) return message
      const copy = structuredClone(message)
      if (message.callId !== undefined && calls.has(`${message.type}\u0000${message.callId}`)) return copy
      const carrier = carriers.shift() as Record<string, unknown> | undefined
      if (carrier === undefined) return copy
      for (const name of Object.keys(carrier)) delete carrier[name]
      return Object.assign(carrier, copy)
    })
    return { ...modelData, input: result }
  }
  const filter = (args: FilterArguments): Promise<FilterArguments['modelData']> =>
    compactor.guard(
      () => filtered(args),
      () => args.modelData,
    )
  // With this mark the SDK hands over the items of the run themselves, and a summary written into one of them would be in its history.
  return Object.defineProperty(filter, 'preserveInputIdentity', { get: () => false, set: () => guarded(onWarning)(wantsCopies) })
}

const separate = (own: PolicyOverrides = {}): PolicyOverrides => ({ ...own, summary: { ...own.summary, neighbors: 'separate' } })

const wantsCopies = 'compactionFilter writes summaries into copies: preserveInputIdentity is left off. For items that keep their identity use withCompaction.'

/** Results and not one call: the conversation is kept by the server, and this is only what is new. Its calls are there, not here. */
function isDelta(input: readonly AgentItem[]): boolean {
  const has = (mark: RegExp): boolean => input.some((item) => mark.test(item.type ?? ''))
  return has(/_(result|output)$/) && !has(/_call$|^program$/)
}
