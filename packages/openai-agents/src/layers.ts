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

/** Conversations by name that a layer further in stores under that name, and whether it is expected to keep their next requests. */
const named = new Map<string, boolean>()

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

/**
 * A layer was made for a conversation of this name, with a storage. One further out that reads the same storage leaves the history whole from the first request
 * of a process on: what it would show in its place is another history to the layer further in, under the same name.
 */
export function noteNamed(outer: readonly Outer[], name: string): void {
  for (const one of outer) noteExpected(noteOf(one, name), true)
}

/** Whether a layer further in is expected to keep the next request of the conversation of this name. */
export const isExpected = (outer: Outer, name: string): boolean => named.get(noteOf(outer, name)) === true

/** What is expected of a layer further in from now on, where there is one: a run may have gone to a model that is not wrapped. */
export function expectKept(outer: Outer, name: string, isHeard: boolean): void {
  const note = noteOf(outer, name)
  if (named.has(note)) noteExpected(note, isHeard)
}

/** The name that was used longest ago goes. */
function noteExpected(note: string, isHeard: boolean): void {
  named.delete(note)
  named.set(note, isHeard)
  if (named.size > mostKept) named.delete(named.keys().next().value as string)
}
