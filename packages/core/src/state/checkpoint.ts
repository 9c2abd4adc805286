import type { Tokens } from '../history/message.ts'
import type { Summary } from '../summary/summary.ts'
import type { TriggerReason } from './reason.ts'

/** `arguments` replaces the input of a call, `media` the attachments of a message or a result; the others replace the output of a call. */
export type EditKind = 'view' | 'superseded' | 'duplicate' | 'aged' | 'condensed' | 'arguments' | 'media'

/** One output, one set of arguments or the attachments of one message shown in another text. `callId` is "" for a message's own attachments. `freed` is in uncalibrated Tokens, > 0. */
export interface Edit {
  readonly index: number
  readonly callId: string
  readonly kind: EditKind
  readonly text: string
  readonly freed: Tokens
  /** Place of the call or result among those of its message; absent: the first. */
  readonly part?: number
  /** Follows from the output and the policy alone: shown this way since it arrived, and not part of any checkpoint. */
  readonly arrival?: true
}

/** So many messages behind the first `after`: that is what the numbers of the others are more than their places. */
export interface Gone {
  readonly after: number
  readonly count: number
}

/**
 * How the first `covered` messages of a history are shown: JSON, appended to the session's state, never changed.
 * Messages behind `covered` are shown as they are.
 */
export interface Checkpoint {
  readonly id: string
  /** Rises by one per summary of a session. */
  readonly version: number
  readonly covered: number
  /** Messages of the history when it was made. */
  readonly length: number
  /** Of the first `covered` messages, from `fingerprint`: another content means another history, and this checkpoint does not apply to it. */
  readonly fingerprint: string
  /**
   * For a history whose first message, which is kept, is another one by now: what is much like it has the same summary. `behind`: fingerprint of all that the other
   * messages say up to `covered`, and of what that one holds besides its words; `sketch`: hexadecimal, the smallest hashes of the words of the first one, redacted, three digits each.
   */
  readonly began?: { readonly behind: string; readonly sketch: string }
  /**
   * For a history whose beginning the host does not hand over any more: six hexadecimal digits each of the fingerprints of its first message, and of each four in a row
   * of the newest messages that it covers. Absent where a part of them was another later.
   */
  readonly ends?: string
  /** Messages that the summary speaks for as well, and that are not handed over any more. Absent: none. */
  readonly gone?: Gone
  /** Indices below `covered` of messages that are no part of the fingerprint; absent: none. */
  readonly unsaid?: readonly number[]
  /** Indices below `covered` that are still shown, in order. The others are represented by `summary` or recorded in `dropped`. */
  readonly kept: readonly number[]
  /** Left out without being summarized; the summary says so. */
  readonly dropped: readonly number[]
  readonly edits: readonly Edit[]
  /** Absent when outputs were shortened and nothing had to be summarized. */
  readonly summary?: Summary
  readonly reason: TriggerReason
  /** What whoever asked for it noted. */
  readonly note?: string
  /** Made without anybody asking for it, and as it was meant to be: the agent may need a word to go on. */
  readonly automatic: boolean
  readonly tokens: { readonly before: Tokens; readonly after: Tokens }
  /** Largest prompt (Tokens) of the model that it was made for; absent where nobody knew, and where somebody asked for it. */
  readonly usable?: Tokens
  readonly parent?: string
}

/** What stands at one place of the context: a message of the history, or the summary; `last` when nothing stood behind that when it was made. */
export type Shown = { readonly kind: 'message'; readonly index: number } | { readonly kind: 'summary'; readonly summary: Summary; readonly last?: boolean }

/**
 * The context as a list of places. The summary stands where the first message that it replaces stood, so that everything
 * before it keeps its place in the provider's prompt cache.
 *
 * @param length Messages in the history.
 */
export function project(length: number, checkpoint: Checkpoint | undefined): readonly Shown[] {
  const shown: Shown[] = []
  const { kept = [], covered = 0, length: before = 0 } = checkpoint ?? {}
  let expected = 0
  let summary = checkpoint?.summary
  const place = (last: boolean): void => {
    if (summary) shown.push({ kind: 'summary', summary, ...(last && { last }) })
    summary = undefined
  }
  for (const index of kept) {
    if (index !== expected) place(false)
    shown.push({ kind: 'message', index })
    expected = index + 1
  }
  place(covered >= before)
  for (let index = covered; index < length; index++) shown.push({ kind: 'message', index })
  return shown
}
