import { mediaTokens } from '../budget/attachment-cost.ts'
import { countedPrompt } from '../budget/usage.ts'
import { groupMessages, pairToolCalls } from '../history/groups.ts'
import { memoized } from '../history/memoize.ts'
import { isUserRequest, type MarkerPart, type Message, mediaIn, type Part, type Tokens } from '../history/message.ts'
import type { Pieces } from '../history/pieces.ts'
import { sumOf } from '../history/sum-of.ts'
import { freedByRepair, repairHistory } from '../partition/repair.ts'
import { type Checkpoint, type Edit, project } from '../state/checkpoint.ts'
import { shownTokens } from '../summary/render.ts'
import type { Summary } from '../summary/summary.ts'
import { byPlace, type Context, editKey, openKinds, type PlanInput } from './context.ts'

/** What depends on the messages alone: the same for every call with the same history and checkpoint. */
type Structure = Pick<Context, 'visible' | 'messages' | 'pairs' | 'groups' | 'barrierEnd' | 'repairs' | 'marker' | 'newestRequest' | 'asked' | 'attached'>

/** With what it was read for beside the messages. */
interface Known extends Structure {
  readonly checkpoint: Checkpoint | undefined
  readonly settled: boolean
}

const structures = new WeakMap<readonly Message[], Known>()

function structureOf(messages: readonly Message[], checkpoint: Checkpoint | undefined, settled = false): Structure {
  const known = structures.get(messages)
  if (known?.settled === settled && known.checkpoint === checkpoint) return known
  const places = project(messages.length, checkpoint)
  const visible = places.flatMap((place) => (place.kind === 'message' ? place.index : []))
  const shown = visible.map((index) => messages[index] as Message)
  const pairing = pairToolCalls(shown)
  const groups = groupMessages(shown, pairing)
  const repairs = repairHistory(shown, pairing, settled)
  const behind = places.findIndex((place) => place.kind === 'summary' && !place.last)
  const structure = {
    checkpoint,
    settled,
    visible,
    messages: shown,
    pairs: pairing.pairs,
    groups,
    barrierEnd: groups.findLast((group) => group.barrier)?.end ?? 0,
    repairs,
    marker: newestMarker(shown),
    newestRequest: shown.findLastIndex(isUserRequest),
    asked: shown[behind]?.role === 'user' && repairs.every(({ index }) => index !== behind),
    attached: attachedTo(shown, visible),
  }
  structures.set(messages, structure)
  return structure
}

/** The attachments of messages. Those of a provider's own item stay with it: no edit is theirs. */
function attachedTo(messages: readonly Message[], visible: readonly number[]): Context['attached'] {
  return messages.flatMap(({ parts }, at) =>
    parts.flatMap((part) =>
      mediaIn(part).map((media) => {
        const index = visible[at] as number
        return { index, media, key: part.type === 'opaque' ? undefined : editKey({ index, callId: 'callId' in part ? part.callId : '', kind: 'media' }) }
      }),
    ),
  )
}

function newestMarker(messages: readonly Message[]): MarkerPart | undefined {
  const isMarkerPart = (part: Part): part is MarkerPart => part.type === 'marker'
  return messages.findLast(({ parts }) => parts.some(isMarkerPart))?.parts.find(isMarkerPart)
}

/** @param arrival Edits that outputs get from their arrival on; empty where the policy wants none. */
export function* readContext(input: PlanInput, arrival: (context: Context) => Pieces<readonly Edit[]>): Pieces<Context> {
  const { messages, checkpoint, policy } = input
  const { factor, overhead: excess } = input.state.calibration
  // The simpler rule corrects the messages alone: what is declared is taken as it is.
  const scale = (tokens: Tokens): Tokens => (policy.trigger.accounting === 'calibrated' ? tokens : Math.ceil(tokens * factor))
  const system = scale(input.overhead.system)
  const tools = scale(input.overhead.tools) + excess
  const memory = scale(input.overhead.memory)
  const structure = structureOf(messages, checkpoint, input.settled)
  // Counted here once: all of a long history takes a while.
  yield* input.tokens.ahead(structure.messages)
  const partial: Unmeasured = {
    input,
    ...structure,
    summary: Math.ceil(summaryTokens(input, structure) * factor),
    overhead: { system, tools, memory, total: system + tools + memory },
  }
  const stored = byPlace(checkpoint?.edits ?? [])
  const context = withEdits(partial, stored)
  const views = (yield* arrival(context)).filter((edit) => !stored.has(editKey(edit)))
  return views.length === 0 ? context : withEdits(partial, new Map([...byPlace(views), ...stored]))
}

/** A summary is as long as the context it stands in: it is counted once, not before each call, whichever checkpoint holds it; anew for a model with an estimator of its own. */
const counted = new WeakMap<Summary, Map<string, Tokens>>()

function summaryTokens({ checkpoint, estimator, policy }: PlanInput, { asked }: Structure): Tokens {
  if (!checkpoint?.summary) return 0
  const { summary, dropped, automatic } = checkpoint
  const surroundings = memoized(counted, summary, () => new Map())
  return memoized(surroundings, [dropped.length, estimator.name, automatic, asked].join(), () =>
    shownTokens(summary, policy.summary, checkpoint, estimator, asked),
  )
}

/** Uncalibrated Tokens of what stands around a summary's own words; at most, as a word to go on does not follow every one. */
export function tokensAround({ policy, estimator }: PlanInput): Tokens {
  return shownTokens({ version: 1, text: '', record: '' }, policy.summary, { dropped: [], automatic: true }, estimator)
}

type Unmeasured = Omit<Context, 'edits' | 'sizes' | 'total' | 'used' | 'estimate' | 'shownMedia' | 'media'>

/** The context with these edits in place of those it had: sizes, total and estimate counted anew. */
export function withEdits(partial: Unmeasured, edits: ReadonlyMap<string, Edit>): Context {
  const { input, visible, messages, repairs } = partial
  const freed = new Map<number, Tokens>()
  const free = (index: number, tokens: Tokens): unknown => freed.set(index, (freed.get(index) ?? 0) + tokens)
  for (const edit of edits.values()) free(edit.index, edit.freed)
  for (const repair of repairs) {
    const index = visible[repair.index] as number
    // What is left out counts once, whatever an edit made of it.
    const edit = repair.kind === 'orphan-result' ? edits.get(editKey({ ...repair, index, kind: 'view' })) : undefined
    free(index, freedByRepair(repair, messages[repair.index] as Message, input.tokens) - (edit?.freed ?? 0))
  }
  const { factor, attached = 1 } = input.state.calibration
  const shownMedia = partial.attached.filter(({ key }) => openKinds.includes(edits.get(key as string)?.kind))
  let media = 0
  for (const one of shownMedia) {
    const tokens = mediaTokens(one.media, input.tokens.media)
    media += tokens
    free(one.index, tokens * (1 - attached))
  }
  const { system, tools, memory } = input.overhead
  let estimate = system + tools + memory + summaryTokens(input, partial)
  const sizes = visible.map((index, at) => {
    const tokens = Math.max(1, input.tokens.of(messages[at] as Message) - (freed.get(index) ?? 0))
    estimate += tokens
    return Math.ceil(tokens * factor)
  })
  const total = partial.overhead.total + partial.summary + sumOf(sizes)
  return { ...partial, edits, sizes, total, estimate, shownMedia, media, used: usedOf(partial, sizes, estimate, total) }
}

/**
 * While the context was not rewritten since the last call, what the provider measured then and the growth since, by estimate; otherwise the estimate:
 *
 *     used   = prompt of that call + growth + what its reply has beyond the message made of it
 *     growth = (estimate now − estimate then) × factor: what was appended, and what else changed (system prompt, tools, look-ups)
 *
 * What else shrank leads no further down than the estimate, as an estimate that is too small is the dangerous one.
 */
function usedOf({ input, visible }: Unmeasured, sizes: readonly Tokens[], estimate: Tokens, total: Tokens): Tokens {
  const { anchor, calibration } = input.state
  const { count, accounting } = input.policy.trigger
  if (
    accounting === 'calibrated' ||
    anchor?.checkpoint !== (input.checkpoint?.id ?? null) ||
    anchor.model !== (input.model ?? null) ||
    anchor.length > input.messages.length
  )
    return total
  const from = visible.filter((index) => index < anchor.length).length
  const appended = sumOf(sizes.slice(from))
  const growth = anchor.estimate === undefined ? appended : Math.ceil((estimate - anchor.estimate) * calibration.factor)
  const reply = count.includes('output') ? Math.max(0, anchor.usage.output - (sizes[from] ?? 0)) : 0
  const prompt = countedPrompt(anchor.usage, count)
  return Math.max(prompt + growth, Math.min(prompt + appended, total)) + reply
}
