import type { MessageCodec } from '../history/codec.ts'
import { memoized } from '../history/memoize.ts'
import { joinedLead } from '../history/summary-mark.ts'
import { missingResultText, type Repair } from '../partition/repair.ts'
import type { Edit, Shown } from '../state/checkpoint.ts'
import type { SummaryMessage } from '../summary/render.ts'
import { openKinds, surfaceOf } from './context.ts'

/** How a history is shown: data, by index. */
export interface Rendering {
  readonly shown: readonly Shown[]
  readonly edits: readonly Edit[]
  readonly repairs: readonly Repair[]
}

/** How a summary is shown. */
export interface ShownSummary {
  readonly version: number
  /** @param asked - Whether a user message follows. */
  messages(asked: boolean): readonly SummaryMessage[]
  /** User messages that follow one another become one. */
  readonly joined: boolean
}

/** Copies made for the renderings of one checkpoint, kept so that the same context is made of the same objects until it is rewritten. */
export interface RenderMemo<M> {
  readonly edited: Map<M, { readonly key: string; readonly copy: M | undefined }>
  readonly made: Map<string, readonly M[]>
  readonly joined: { readonly run: readonly M[]; readonly message: M }[]
}

export function createRenderMemo<M>(): RenderMemo<M> {
  return { edited: new Map(), made: new Map(), joined: [] }
}

/**
 * Makes the context: kept messages are the caller's own objects, edited ones copies, the summary one new message.
 *
 * @param summary Needed when `shown` holds one.
 * @returns `history` itself when nothing is different.
 */
export function applyPlan<M>(
  history: readonly M[],
  rendering: Rendering,
  codec: MessageCodec<M>,
  summary: ShownSummary | undefined,
  memo: RenderMemo<M> = createRenderMemo(),
): readonly M[] {
  const { shown, edits, repairs } = rendering
  if (edits.length + repairs.length === 0 && !summary && shown.length === history.length) return history
  const changes = changesOf<M>(edits, repairs)
  const context: M[] = []
  let [summaryAt, isLast] = [-1, false]
  for (const place of shown) {
    if (place.kind === 'summary') {
      summaryAt = context.length
      isLast = place.last === true
      continue
    }
    const change = changes.get(place.index)
    const message = history[place.index] as M
    if (!change) {
      context.push(message)
      continue
    }
    const { into = context } = change
    const copy = change.hidden ? undefined : changed(message, change, codec, memo)
    if (copy) into.push(copy)
    if (change.answers.length > 0) {
      into.push(...memoized(memo.made, `answers\u0000${JSON.stringify(change.answers)}`, () => codec.createToolResults(change.answers)))
    }
    into.push(...change.behind)
  }
  if (!summary || summaryAt < 0) return context
  // As it was sent first, so it stays, whoever speaks next.
  const made = memoized(memo.made, `summary\u0000${summary.version}`, () => {
    const next = context[summaryAt]
    const asked = !isLast && next !== undefined && codec.read(next).role === 'user'
    return summary.messages(asked).map(({ text, role }) => codec.createSummary(text, { version: summary.version, role }))
  })
  context.splice(summaryAt, 0, ...made)
  return summary.joined ? withJoined(context, new Set(made), codec, memo) : context
}

/** User messages that follow one another become one. */
function withJoined<M>(context: readonly M[], made: ReadonlySet<M>, codec: MessageCodec<M>, memo: RenderMemo<M>): readonly M[] {
  const runs: [M, ...M[]][] = []
  let follows = false
  for (const message of context) {
    const isUser = codec.read(message).role === 'user'
    if (isUser && follows) runs.at(-1)?.push(message)
    else runs.push([message])
    follows = isUser
  }
  return runs.map((run) => {
    const [first] = run
    if (run.length === 1) return first
    const before = memo.joined.find((one) => one.run.length === run.length && one.run.every((message, at) => message === run[at]))
    if (before) return before.message
    const lead = made.has(first) ? [codec.createSummary(joinedLead, { version: 0, role: 'user' })] : []
    const message = codec.joinUsers([...lead, ...run])
    memo.joined.push({ run, message })
    return message
  })
}

interface Change<M> {
  readonly outputs: Map<string, { text: string; keepAttachments: boolean }>
  readonly inputs: Map<string, string>
  media?: string
  readonly removed: Set<string>
  readonly answers: { callId: string; tool: string; output: string }[]
  hidden?: boolean
  /** What moves behind this one. */
  readonly behind: M[]
  /** `behind` of the message that this one moves behind. */
  into?: M[]
}

type LateResult = Pick<Extract<Repair, { kind: 'late-result' }>, 'output' | 'begin'>

function changesOf<M>(edits: readonly Edit[], repairs: readonly Repair[]): ReadonlyMap<number, Change<M>> {
  const changes = new Map<number, Change<M>>()
  const at = (index: number): Change<M> =>
    memoized(changes, index, () => ({ outputs: new Map(), inputs: new Map(), removed: new Set(), answers: [], behind: [] }))
  for (const edit of edits) {
    const change = at(edit.index)
    const surface = surfaceOf(edit)
    if (surface === 'input') change.inputs.set(edit.callId, edit.text)
    else if (surface === 'media') change.media = edit.text
    else change.outputs.set(edit.callId, { text: edit.text, keepAttachments: openKinds.includes(edit.kind) })
  }
  for (const repair of repairs) {
    const { kind, index } = repair
    const change = at(index)
    if (kind === 'late-result' || kind === 'orphan-result') change.removed.add(repair.callId)
    else change.hidden = !('after' in repair)
    if (!('after' in repair)) continue
    const { callId, tool, after, begin = Infinity, output = missingResultText }: Partial<LateResult> & typeof repair = repair
    at(after).answers.push({ callId, tool, output: change.outputs.get(callId)?.text ?? output })
    for (let moved = begin; moved <= after; moved++) at(moved).into = change.behind
  }
  return changes
}

function changed<M>(message: M, change: Change<M>, codec: MessageCodec<M>, memo: RenderMemo<M>): M | undefined {
  const { outputs, inputs, media, removed } = change
  const edited = outputs.size + inputs.size > 0 || media
  if (!edited && removed.size === 0) return message
  const key = JSON.stringify([[...outputs], [...inputs], media, [...removed]])
  const before = memo.edited.get(message)
  if (before?.key === key) return before.copy
  const without = removed.size === 0 ? message : codec.withoutToolResults(message, removed)
  const copy = without === undefined || !edited ? without : codec.edit(without, { outputs, inputs, media })
  memo.edited.set(message, { key, copy })
  return copy
}
