import { attachmentTokens, mediaTokens } from '../budget/attachment-cost.ts'
import { withoutBinary } from '../history/binary.ts'
import { callIn, resultIn, type ToolPair } from '../history/groups.ts'
import { memoized } from '../history/memoize.ts'
import { isUserRequest, type Tokens } from '../history/message.ts'
import type { Pieces } from '../history/pieces.ts'
import { firstUnseen } from '../partition/partition.ts'
import type { Rung, RungName } from '../policy/policy.ts'
import { candidatesOf } from '../prune/custom-rung.ts'
import { rungCandidates, viewText } from '../prune/ladder.ts'
import { type Candidate, candidateFor, type PruneView, type VisibleCall, type VisibleMedia, type VisibleOutput, whereWhole } from '../prune/outputs.ts'
import { joinPassages } from '../record/excerpt-windows.ts'
import { passagesInPieces } from '../record/passages.ts'
import type { Edit } from '../state/checkpoint.ts'
import { arrivalEdits, mayTouch, pruneHelp } from './arrival.ts'
import { type Context, editKey, type Measured, type PlanInput, sum, usableOf, windowOf } from './context.ts'
import { readContext, withEdits } from './read-context.ts'
import { measured } from './regions.ts'
import { rulesFor } from './retain.ts'

const shownFor = new WeakMap<PlanInput, Context>()

/** The context as it is shown now, outputs seen as the policy wants them from their arrival on. Read once per input. */
export function readShown(input: PlanInput): Context {
  return memoized(shownFor, input, () => readContext(input, arrivalEdits))
}

export function measureContext(input: PlanInput): Measured {
  return measured(readShown(input))
}

/** Climbs a ladder: each rung runs while the context is larger than the target. */
export function* shortenOutputs(context: Context, ladder: readonly RungName[], target: Tokens): Pieces<Context> {
  let current = context
  for (const rung of ladder) {
    if (current.total <= target) continue
    if (current === context) yield* redactCalls(context)
    const own = context.input.rungs?.find(({ name }) => name === rung)
    const view = pruneView(current)
    current = yield* replace(current, yield* own === undefined ? rungCandidates[rung as Rung](view) : candidatesOf(own, view))
  }
  return current
}

/** Outputs of the newest turns, as views of at most `retain.outputTokens`. */
export function* shortenNewest(context: Context): Pieces<Context> {
  const { outputTokens: most, turns } = context.input.policy.retain
  if (most === undefined) return context
  const long = pruneView(context).outputs.filter(({ turn, shown }) => turn < turns && shown > most)
  return yield* replace(
    context,
    long.map((output) => viewOf(context, output, most)),
  )
}

/** Arguments as they may be stored, read one after another: `redacted` remembers them. */
function* redactCalls({ pairs, messages, input: { redacted } }: Context): Pieces<void> {
  for (const { call, callId } of redacted === undefined ? [] : pairs) {
    yield
    const part = callIn(messages[call], callId)
    if (part !== undefined) redacted?.part(part)
  }
}

/** A view of one output under its tool's shape. */
export function viewOf(context: Context, output: VisibleOutput, tokens: Tokens): Candidate {
  const { view } = context.input.policy.prune
  return candidateFor(output, 'view', viewText(output, { tokens, lineLength: view.lineLength }, pruneHelp(context)))
}

/** Least Tokens of an output that is worth shortening with others, and what the note at its end takes. */
const leastTogether = 120
const noteTokens = 16

/** Outputs shortened together, so that the room goes where the names are: passages of all of them, each with a note of what is left out. */
export function* viewsTogether(context: Context, outputs: readonly VisibleOutput[], tokens: Tokens): Pieces<readonly Candidate[]> {
  const { estimator } = context.input
  const help = pruneHelp(context)
  const long = outputs.filter((output) => output.tokens > leastTogether)
  const notes = long.map((output) => whereWhole(help.reference(output.whole)))
  const texts = long.map((output) => withoutBinary(output.output))
  const sources = long.map((output, at) => ({
    text: texts[at] as string,
    weight: 1,
    kind: output.isError ? ('failure' as const) : ('output' as const),
  }))
  const chosen = yield* passagesInPieces(sources, tokens - estimator.count(notes.join('')) - long.length * noteTokens, { estimator })
  return long.map((output, at) => {
    const shown = joinPassages(texts[at] as string, chosen[at] ?? [])
    const text = `${shown}\n[${output.output.length - shown.length} of ${output.output.length} characters left out${notes[at]}]`
    return candidateFor(output, 'view', text.trimStart())
  })
}

export function mayShorten(context: Context, output: VisibleOutput): boolean {
  return mayTouch(context, output.index) && rulesFor(context, output.tool).keep !== 'always'
}

/** What a rung may look at and what it may change. */
export function pruneView(context: Context): PruneView {
  const { input, groups, messages } = context
  const newest = groups[Math.min(groups.length - 1, firstUnseen(messages, groups))]?.start ?? 0
  const all = visibleOutputs(context)
  const open: readonly unknown[] = [undefined, 'view', 'condensed']
  return {
    ...pruneHelp(context),
    outputs: all.filter((one) => one.index < newest && mayShorten(context, one) && open.includes(shownAs(context, one.index, one.callId, 'view')?.kind)),
    allOutputs: all.filter((one) => one.index >= newest || mayShorten(context, one)),
    calls: () =>
      visibleCalls(context).filter(
        (one) => one.index < newest && mayTouch(context, one.index) && shownAs(context, one.index, one.callId, 'arguments') === undefined,
      ),
    media: () => visibleMedia(context, all).filter((one) => mayTouch(context, one.index) && shownAs(context, one.index, one.callId, 'media') === undefined),
    prune: input.policy.prune,
    usable: usableOf(input),
    window: windowOf(input),
  }
}

/** What is shown of a part in its place. */
export function shownAs({ edits, visible }: Context, at: number, callId: string, kind: Edit['kind']): Edit | undefined {
  return edits.size === 0 ? undefined : edits.get(editKey({ index: visible[at] as number, callId, kind }))
}

/** Ordinals of tool steps and user turns, counted from the newest. */
function ordinals(context: Context): { readonly stepOf: ReadonlyMap<number, number>; readonly turnOf: readonly number[] } {
  const stepOf = new Map<number, number>()
  for (const pair of context.pairs.toReversed()) if (pair.result !== undefined && !stepOf.has(pair.call)) stepOf.set(pair.call, stepOf.size)
  let turn = 0
  const turnOf = context.messages.toReversed().map((message) => (isUserRequest(message) ? turn++ : turn))
  turnOf.reverse()
  return { stepOf, turnOf }
}

const wholeFor = new WeakMap<PlanInput, readonly VisibleOutput[]>()

/** Every output with what is shown of it now. What does not depend on edits is read once for all rungs. */
export function visibleOutputs(context: Context): readonly VisibleOutput[] {
  const whole = memoized(wholeFor, context.input, () => wholeOutputs(context))
  if (context.edits.size === 0) return whole
  return whole.map((one): VisibleOutput => {
    const freed = shownAs(context, one.index, one.callId, 'view')?.freed ?? 0
    // The rest is read through: `output` is not redacted before somebody looks at it.
    return freed === 0 ? one : Object.create(one, { shown: { value: one.tokens - freed } })
  })
}

function wholeOutputs(context: Context): readonly VisibleOutput[] {
  const { input, pairs, messages } = context
  const { redacted } = input
  const { stepOf, turnOf } = ordinals(context)
  const answered = new Map<number, (typeof pairs)[number][]>()
  for (const pair of pairs) {
    if (pair.result !== undefined) memoized(answered, pair.result, (): (typeof pairs)[number][] => []).push(pair)
  }
  const found: VisibleOutput[] = []
  messages.forEach((message, index) => {
    const here = answered.get(index)
    for (const part of message.parts) {
      if (part.type !== 'tool-result') continue
      const pair = here?.find((one) => one.callId === part.callId)
      const media = part.attachments?.length ?? 0
      const tokens = input.tokens.ofOutput(part) + attachmentTokens(part.attachments, input.tokens.media)
      found.push({
        index,
        callId: part.callId,
        tool: part.tool || (pair?.tool ?? ''),
        input: pair === undefined ? '' : redactedInput(context, pair),
        // Redacted when it is looked at: most are not.
        get output() {
          return redacted?.part(part).output ?? part.output
        },
        whole: part.output,
        tokens,
        shown: tokens,
        isError: part.isError === true,
        media,
        step: pair === undefined ? stepOf.size : (stepOf.get(pair.call) ?? 0),
        turn: turnOf[index] ?? 0,
      })
    }
  })
  return found
}

/** Arguments as they may be stored. */
function redactedInput({ messages, input: { redacted } }: Context, { call, callId, input }: ToolPair): string {
  const part = redacted === undefined ? undefined : callIn(messages[call], callId)
  return (part && redacted?.part(part).input) ?? input
}

function visibleCalls(context: Context): readonly VisibleCall[] {
  const { messages } = context
  const { stepOf } = ordinals(context)
  return context.pairs.flatMap((pair) => {
    const { call, callId, tool, input, result } = pair
    // Arguments of a provider's own tools are signed or checked by the provider.
    if (result === undefined || input.length < 100 || rulesFor(context, tool).keep === 'always') return []
    if (pair.providerExecuted) return []
    const failed = resultIn(messages[result], callId)?.isError === true
    const tokens = context.input.estimator.count(input)
    return [{ index: call, callId, tool, input: redactedInput(context, pair), tokens, step: stepOf.get(call) ?? 0, failed }]
  })
}

function visibleMedia(context: Context, outputs: readonly VisibleOutput[]): readonly VisibleMedia[] {
  const { messages, input } = context
  const newest = messages.findLastIndex(isUserRequest)
  const own = messages.flatMap((message, index) => {
    const parts = message.parts.filter((part) => part.type === 'media')
    // What was just attached is what is asked about.
    if (parts.length === 0 || index === newest) return []
    const descriptions = parts.map((part) =>
      [part.mediaType, part.name, part.bytes === undefined ? undefined : `${part.bytes} bytes`].filter(Boolean).join(' '),
    )
    return [{ index, callId: '', text: '', descriptions, tokens: sum(parts.map((part) => mediaTokens(part.mediaType, input.tokens.media))) }]
  })
  const attached = outputs
    .filter((output) => output.media > 0)
    .map((output) => ({
      index: output.index,
      callId: output.callId,
      get text() {
        return withoutBinary(output.output)
      },
      descriptions: Array.from({ length: output.media }, () => `attachment of ${output.tool}`),
      tokens: output.tokens,
    }))
  return [...own, ...attached].sort((a, b) => a.index - b.index)
}

/** Takes each candidate that is smaller than what is shown. */
export function* replace(context: Context, candidates: readonly Candidate[]): Pieces<Context> {
  if (candidates.length === 0) return context
  const edits = new Map(context.edits)
  for (const { index: at, callId, kind, text, before } of candidates) {
    yield
    const index = context.visible[at] as number
    const key = editKey({ index, callId, kind })
    const freed = before - context.input.estimator.count(text)
    if (freed > (edits.get(key)?.freed ?? 0)) edits.set(key, { index, callId, kind, text, freed })
  }
  return withEdits(context, edits)
}
