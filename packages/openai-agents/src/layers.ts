import type { CompactionReport, MessageCodec } from '@precis/core'
import { conversationIds } from '@precis/core/adapters'
import type { AgentItem } from '@precis/wire/openai-agents'

// A model, a filter and a session's view may stand in one run. Who is nearer to the provider sees more and does the work: the others step back, and no summary is
// paid for twice.

/** Who steps back. */
type Outer = 'filter' | 'view'

/** Who may step back, and from which conversation, known by what it says. */
const kept = new Set<string>()
/** Notes kept in mind. */
const mostKept = 2_000

/** By a conversation as a layer further out shows it, compacted: that conversation. */
const origins = new Map<string, string>()

const noteOf = (outer: Outer, id: string): string => `${outer} ${id}`

/** A request of a run went through a layer that knows the window: those further out need not. */
export function noteKept(outer: readonly Outer[], history: readonly AgentItem[], codec: MessageCodec<AgentItem>, { tokens }: CompactionReport): void {
  if (tokens.budget === null) return
  if (kept.size >= mostKept) kept.clear()
  const [id] = conversationIds(history, codec)
  for (const one of outer) for (const known of [id, origins.get(id) ?? id]) kept.add(noteOf(one, known))
}

/** A layer further out compacted a conversation before anybody further in was heard, as with the first request of a process: who is, is of the same one. */
export function noteShown(shown: readonly AgentItem[], history: readonly AgentItem[], codec: MessageCodec<AgentItem>): void {
  if (origins.size >= mostKept) origins.clear()
  origins.set(conversationIds(shown, codec)[0], conversationIds(history, codec)[0])
}

/** Whether the newest request of this conversation was kept within the window further in. Each note counts once: the next request makes a new one. */
export function wasKept(outer: Outer, history: readonly AgentItem[], codec: MessageCodec<AgentItem>): boolean {
  // What came since may have given it another id.
  return conversationIds(history, codec)
    .map((id) => kept.delete(noteOf(outer, id)))
    .includes(true)
}
