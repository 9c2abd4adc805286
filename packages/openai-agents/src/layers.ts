import type { CompactionReport, MessageCodec } from '@precis/core'
import { conversationIds } from '@precis/core/adapters'
import type { AgentItem } from '@precis/wire/openai-agents'

// One run may have several layers of ours: a wrapped model, an input filter, a session's view. The one nearest to the provider sees most and compacts; the others step
// back, so that no summary is paid for twice. Here they tell each other.

/** Layers that step back for one nearer to the provider. */
type Outer = 'filter' | 'view'

/** Notes that a conversation was kept within the window by a layer further in: which layer may step back, and the conversation's id, made from what it says. */
const kept = new Set<string>()
/** Most notes of each kind. */
const mostKept = 2_000

/** From the id of a conversation as a layer further out shows it, compacted, to the id that the whole conversation has. */
const origins = new Map<string, string>()

/** Conversations that a layer further in stores, by their names, and whether it is expected to keep their next requests within the window. */
const named = new Map<string, boolean>()

const noteOf = (outer: Outer, id: string): string => `${outer} ${id}`

/** A request went through a layer that knows the window: layers further out may step back. */
export function noteKept(outer: readonly Outer[], history: readonly AgentItem[], codec: MessageCodec<AgentItem>, { tokens }: CompactionReport): void {
  if (tokens.budget === null) return
  if (kept.size >= mostKept) kept.clear()
  const [id] = conversationIds(history, codec)
  for (const one of outer) for (const known of [id, origins.get(id) ?? id]) kept.add(noteOf(one, known))
}

/** A layer further out compacted a conversation before it heard of a layer further in (with the first request of a process, say). What is shown is then known to be that conversation. */
export function noteShown(shown: readonly AgentItem[], history: readonly AgentItem[], codec: MessageCodec<AgentItem>): void {
  if (origins.size >= mostKept) origins.clear()
  origins.set(conversationIds(shown, codec)[0], conversationIds(history, codec)[0])
}

/** Whether the newest request of this conversation was kept within the window further in. Each note counts once: the next request makes a new one. */
export function wasKept(outer: Outer, history: readonly AgentItem[], codec: MessageCodec<AgentItem>): boolean {
  // Messages that came since may have changed its id: earlier ones count too.
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

/** Changes what is expected of a layer further in, where there is one: this run may have gone to a model that is not wrapped. */
export function expectKept(outer: Outer, name: string, isHeard: boolean): void {
  const note = noteOf(outer, name)
  if (named.has(note)) noteExpected(note, isHeard)
}

/** Notes it as the newest; beyond the limit the oldest note goes. */
function noteExpected(note: string, isHeard: boolean): void {
  named.delete(note)
  named.set(note, isHeard)
  if (named.size > mostKept) named.delete(named.keys().next().value as string)
}
