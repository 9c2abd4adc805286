import { attachmentTokens } from '../budget/attachment-cost.ts'
import { withoutBinary } from '../history/binary.ts'
import type { ToolPair } from '../history/groups.ts'
import { memoized } from '../history/memoize.ts'
import { isUserRequest, type Message, mediaIn, type ToolResultPart } from '../history/message.ts'
import { firstUnseen } from '../partition/partition.ts'
import type { PruneView, VisibleCall, VisibleMedia, VisibleOutput } from '../prune/outputs.ts'
import { attachmentNote } from '../record/texts/quote.ts'
import type { Edit } from '../state/checkpoint.ts'
import { mayShorten, mayTouch, pruneHelp } from './arrival.ts'
import { type Context, editKey, openKinds, type PlanInput, usableOf, windowOf } from './context.ts'
import { rulesFor } from './retain.ts'

// What of a context a rung can see: outputs, arguments and attachments, each with what is shown of it now.

/** What a rung may look at and what it may change. */
export function pruneView(context: Context): PruneView {
  const { input, groups, messages } = context
  const newest = groups[Math.min(groups.length - 1, firstUnseen(messages, groups))]?.start ?? 0
  const all = visibleOutputs(context)
  const isWhole = (one: Place, kind: Edit['kind']): boolean => mayTouch(context, one.index) && !shownAs(context, one, kind)
  return {
    ...pruneHelp(context),
    outputs: all.filter((one) => one.index < newest && one.mayShorten && openKinds.includes(shownAs(context, one, 'view')?.kind)),
    allOutputs: all.filter((one) => one.index >= newest || one.mayShorten),
    calls: () => visibleCalls(context).filter((one) => one.index < newest && isWhole(one, 'arguments')),
    media: () => visibleMedia(context, all).filter((one) => isWhole(one, 'media')),
    prune: input.policy.prune,
    usable: usableOf(input),
    window: windowOf(input),
  }
}

/** Position among the visible messages, and the call or result there. */
type Place = Pick<VisibleOutput, 'index' | 'callId'>

/** What is shown of a part in its place. */
function shownAs({ edits, visible }: Context, { index, callId }: Place, kind: Edit['kind']): Edit | undefined {
  return edits.size === 0 ? undefined : edits.get(editKey({ index: visible[index] as number, callId, kind }))
}

/** One output in its place, whether it may be shown shorter, and what its text is read from. */
interface Placed extends Omit<VisibleOutput, 'output'> {
  readonly mayShorten: boolean
  readonly part: ToolResultPart
  readonly message: Message
  readonly redacted: PlanInput['redacted']
}

type Seen = Placed & VisibleOutput

/** Redacts an output only when it is read: most never are. The getter is on a prototype, as one on each object would make them slow. */
const readLater: ThisType<Placed> & Pick<VisibleOutput, 'output'> = {
  get output() {
    return this.redacted?.part(this.part, this.message).output ?? this.whole
  },
}

const seen = (placed: Placed): Seen => Object.assign(Object.create(readLater), placed)

/** What does not depend on edits: every output before any, and the step of each call. */
interface WholeOutputs {
  readonly whole: readonly Seen[]
  readonly stepOf: ReadonlyMap<number, number>
}

const wholeFor = new WeakMap<PlanInput, WholeOutputs>()

/** Read once for all rungs: walking over a long history is slow, as it has to be fetched from memory. */
const wholeOutputs = (context: Context): WholeOutputs => memoized(wholeFor, context.input, () => readOutputs(context))

/** Every output with what is shown of it now. */
export function visibleOutputs(context: Context): readonly Seen[] {
  const { whole } = wholeOutputs(context)
  if (context.edits.size === 0) return whole
  return whole.map((one) => {
    const freed = shownAs(context, one, 'view')?.freed ?? 0
    return freed === 0 ? one : seen({ ...one, shown: one.tokens - freed })
  })
}

function readOutputs(context: Context): WholeOutputs {
  const { input, pairs, messages } = context
  const answered = new Map<ToolResultPart, ToolPair>()
  // Steps and turns are counted from the newest.
  const stepOf = new Map<number, number>()
  for (const pair of pairs.toReversed()) {
    if (!pair.answer) continue
    answered.set(pair.answer, pair)
    if (!stepOf.has(pair.call)) stepOf.set(pair.call, stepOf.size)
  }
  const whole: Seen[] = []
  let turn = 0
  for (let index = messages.length - 1; index >= 0; index--) {
    const message = messages[index] as Message
    for (const part of message.parts.toReversed()) {
      if (part.type !== 'tool-result') continue
      const pair = answered.get(part)
      const tool = part.tool || pair?.tool || ''
      const tokens = input.tokens.ofOutput(part, message) + attachmentTokens(mediaIn(part), input.tokens.media)
      whole.push(
        seen({
          index,
          callId: part.callId,
          tool,
          input: pair ? redactedInput(context, pair) : '',
          whole: part.output,
          tokens,
          shown: tokens,
          isError: part.isError === true,
          media: mediaIn(part).length,
          step: (pair && stepOf.get(pair.call)) ?? stepOf.size,
          turn,
          mayShorten: mayShorten(context, index, tool),
          part,
          message,
          redacted: input.redacted,
        }),
      )
    }
    if (isUserRequest(message)) turn++
  }
  return { whole: whole.reverse(), stepOf }
}

/** Arguments as they may be stored. */
function redactedInput({ messages, input: { redacted } }: Context, { call, part, input }: ToolPair): string {
  return redacted?.part(part, messages[call]).input ?? input
}

function visibleCalls(context: Context): readonly VisibleCall[] {
  const { stepOf } = wholeOutputs(context)
  return context.pairs.flatMap((pair) => {
    const { call, callId, tool, input, answer, providerExecuted } = pair
    // Arguments of a provider's own tools are signed or checked by the provider.
    if (!answer || providerExecuted || input.length < 100 || rulesFor(context, tool).keep === 'always') return []
    const failed = answer.isError === true
    const tokens = context.input.estimator.count(input)
    return [{ index: call, callId, tool, input: redactedInput(context, pair), tokens, step: stepOf.get(call) as number, failed }]
  })
}

function visibleMedia(context: Context, outputs: readonly VisibleOutput[]): readonly VisibleMedia[] {
  const { messages, input } = context
  const own = messages.flatMap((message, index) => {
    const parts = message.parts.filter((part) => part.type === 'media')
    // What was just attached is what is asked about.
    if (!parts.length || index === context.newestRequest) return []
    return [{ index, callId: '', text: '', descriptions: parts.map(attachmentNote), tokens: attachmentTokens(parts, input.tokens.media) }]
  })
  const attached = outputs
    .filter(({ media }) => media)
    .map((output) => ({
      index: output.index,
      callId: output.callId,
      get text() {
        return withoutBinary(output.output)
      },
      descriptions: Array<string>(output.media).fill(`attachment of ${output.tool}`),
      tokens: output.tokens,
    }))
  return [...own, ...attached].sort((a, b) => a.index - b.index)
}
