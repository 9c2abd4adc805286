import {
  type CompactionReport,
  type CompactionSession,
  type Compactor,
  type CompactorOptions,
  createCompactor,
  type MessageCodec,
  type ModelCall,
  providerSide,
  requestedReply,
  type Spent,
} from '@precis/core'
import { bothSpent, type Given, nothingSpent, type RecallMemory, restAfter } from '@precis/core/adapters'
import { lazyCatalog } from '@precis/models/lazy'
import { createRedactor } from '@precis/redaction'
import type { AgentItem, CodecOptions } from '@precis/wire/openai-agents'
import type { Reply, Request } from './model-call.ts'
import type { ModelName } from './model-name.ts'
import { readOverhead } from './overhead.ts'
import { codecFor } from './protect.ts'
import type { KeptRounds } from './recall/memory.ts'
import { readUsage } from './usage.ts'
import { guarded } from './warnings.ts'

/** Everything that core's `createCompactor` takes, and whose conversation it is. */
export interface CompactionOptions extends Omit<CompactorOptions<AgentItem>, 'codec'>, CodecOptions {
  /** Conversation of all calls through what is wrapped. Default: told apart by how their inputs begin. */
  readonly session?: string | undefined
  /** Called once for what cannot be helped, such as a conversation that the server keeps. */
  readonly onWarning?: ((warning: string) => void) | undefined
}

/** Replies of rounds, as the SDK states their usage, and Tokens of summaries. */
interface Unbilled {
  readonly usages: unknown[]
  spent: Spent
}

/** What all models behind one wrapped provider share: a provider may make a new one for each look-up. */
export interface Door {
  readonly codec: MessageCodec<AgentItem>
  readonly compactor: Compactor<AgentItem>
  readonly memory: RecallMemory<KeptRounds>
  /** Waits for the catalog of limits, once. */
  ready(): Promise<void>
  itemsOf(request: Request): readonly AgentItem[]
  /** The conversation of a history: by name, or known by what it says. */
  sessionOf(history: readonly AgentItem[], name: string | undefined): CompactionSession<AgentItem>
  callOf(request: Request, name: ModelName): ModelCall
  /** @param report Of the context that was counted. */
  learnUsage(session: CompactionSession<AgentItem>, reply: Reply, report: CompactionReport | undefined): Promise<void>
  /** What calls that failed were billed: for the next reply of their conversation, once. */
  takeUnbilled(session: object): Unbilled
  leaveUnbilled(session: object, unbilled: Unbilled): void
  /** Whether the requests of a run carry all of its history. Says so once, where they do not. */
  isOurs(request: Request, name: ModelName): boolean
}

const serverManaged =
  'The conversation is kept by the server (previousResponseId or conversationId): requests carry only what is new, so there is nothing to compact here. Use server-side compaction, or run without these ids.'

const compactsItself =
  'The provider compacts this conversation itself (modelSettings.contextManagement): nothing is compacted here unless a request is refused. Leave that setting out to have it done here.'

/** Texts that were asked as inputs, kept as items. */
const mostTexts = 200

export function createDoor(source: object, { onWarning, protect, session: _named, ...rest }: Given<CompactionOptions>, memory: RecallMemory<KeptRounds>): Door {
  const codec = codecFor({ protect, onWarning })
  const catalog = rest.limits === undefined ? lazyCatalog() : undefined
  // Of clients that are no OpenAI's only names that one laboratory alone uses.
  const provider = /openai/i.test(source.constructor.name) ? 'openai' : 'unknown'
  const compactor = createCompactor<AgentItem>({
    redact: createRedactor(),
    restAfter,
    ...rest,
    ...(catalog !== undefined && { limits: (id) => catalog.limits(id, provider) }),
    codec,
  })
  const warned = new Set<string>()
  const told = guarded(onWarning)
  const warn = (warning: string): void => {
    if (!warned.has(warning)) told(warning)
    warned.add(warning)
  }
  const texts = new Map<string, readonly AgentItem[]>()
  const unbilled = new WeakMap<object, Unbilled>()
  return {
    codec,
    compactor,
    memory,
    ready: async () => catalog?.load(),
    itemsOf({ input }) {
      if (typeof input !== 'string') return input
      // The same text is the same item, so that a context keeps its identity.
      const items = texts.get(input) ?? [{ type: 'message', role: 'user', content: input }]
      if (texts.size >= mostTexts) texts.clear()
      texts.set(input, items)
      return items
    },
    sessionOf: (history, name) => (name === undefined ? compactor.conversation(history) : compactor.session(name)),
    callOf(request, name) {
      const provider = sideOf(request, name)
      const { maxTokens, providerData } = request.modelSettings ?? {}
      // What stands in a provider's own words goes out in place of the SDK's.
      const maxOutput = requestedReply(providerData) ?? maxTokens
      return {
        overhead: readOverhead(request),
        ...(provider !== undefined && { provider }),
        ...(name.value !== undefined && { model: name.value }),
        ...(name.endpoint !== undefined && { endpoint: name.endpoint }),
        ...(maxOutput !== undefined && { maxOutput }),
        ...(request.signal !== undefined && { signal: request.signal }),
      }
    },
    learnUsage: (session, { usage }, report) =>
      compactor.guard(
        () => session.afterModelCall({ usage: readUsage(usage), report }),
        () => undefined,
      ),
    takeUnbilled(session) {
      const found = unbilled.get(session)
      unbilled.delete(session)
      return found ?? { usages: [], spent: nothingSpent }
    },
    leaveUnbilled(session, left) {
      const before = unbilled.get(session)
      before?.usages.push(...left.usages)
      if (before === undefined) unbilled.set(session, left)
      else before.spent = bothSpent(before.spent, left.spent)
    },
    isOurs(request, name) {
      const { previousResponseId, conversationId } = request
      if (previousResponseId !== undefined || conversationId !== undefined) {
        warn(serverManaged)
        return false
      }
      if (sideOf(request, name) !== undefined) warn(compactsItself)
      return true
    },
  }
}

/** What the provider is asked to do by itself, of what goes out to it. */
function sideOf({ modelSettings }: Request, { sendsContextManagement }: ModelName): ModelCall['provider'] {
  const { contextManagement: _left, ...sent } = modelSettings ?? {}
  return providerSide(sendsContextManagement ? modelSettings : sent)
}
