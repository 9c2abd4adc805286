import { callIn, resultIn } from '../history/groups.ts'
import { memoized } from '../history/memoize.ts'
import { type Message, type Part, partText } from '../history/message.ts'
import { finished, type Pieces } from '../history/pieces.ts'
import { sumOf } from '../history/sum-of.ts'
import { byteLength } from '../prune/view.ts'
import type { Edit } from '../state/checkpoint.ts'
import type { Context, PlanInput } from './context.ts'
import { keepMedia, readShown } from './shorten.ts'

/** A context with its attachments within the limits of one request, and how many times what they may be its bytes still are (at most 1: not over). */
export interface Limited {
  readonly context: Context
  readonly over: number
}

/** The second budget: providers refuse bodies by bytes, and requests by the number of their attachments, long before the window is full. */
export function* withinRequest(context: Context): Pieces<Limited> {
  const { policy, limits, state, checkpoint } = context.input
  const { media = Infinity, bytes = Infinity } = policy.trigger.request ?? {}
  const learned = { media, bytes, ...state.calibration.learnedRequest }
  const mostMedia = Math.min(media, limits?.maxMedia ?? media, learned.media)
  const mostBytes = Math.min(bytes, learned.bytes)
  let current = context
  const over = (): number => (mostBytes < Infinity ? bytesOf(current) / mostBytes : 0)
  let keep = current.shownMedia.length
  // The policy says how many stay. If it says nothing, or that many are still too many, half of them go: fewer each time would change the prompt's beginning more often.
  // Those of the newest request stay.
  while (keep && (current.shownMedia.length > mostMedia || over() > 1)) {
    keep = media < keep ? media : keep >> 1
    current = yield* keepMedia(current, keep)
  }
  // Pictures inside a provider's own items (screenshots of its computer tool, say) cannot be taken out, only summarized with their calls. Where they are too many, that
  // takes a compaction, but no more often than once for each half of the limit.
  const fresh = current.shownMedia.filter(({ key, index }) => !key && index >= (checkpoint?.covered ?? 0)).length
  const isCrowded = mostMedia && current.shownMedia.length > mostMedia && fresh * 2 >= mostMedia
  // Anything above 1 asks for a compaction; how many bytes to free is not known in this case.
  return { context: current, over: Math.max(isCrowded ? 1.01 : 0, over()) }
}

/** What a request holds of what its second budget counts: how many attachments, and about how many bytes. */
export function requestOf(input: PlanInput): { readonly media: number; readonly bytes: number } {
  const { context } = finished(withinRequest(readShown(input)))
  return { media: context.shownMedia.length, bytes: bytesOf(context) }
}

/** Bytes of JSON around one part, and of an attachment of unknown size. */
const wrapping = 120
const unknownAttachment = 200_000

/** Bytes of the request's messages, about: texts in UTF-8, attachments in base64. */
function bytesOf(context: Context): number {
  const media = sumOf(context.shownMedia, (one) => Math.ceil(((one.media.bytes ?? unknownAttachment) * 4) / 3))
  const texts = sumOf(context.messages, textBytes)
  const edited = sumOf(context.edits.values(), (edit) => byteLength(edit.text) - replacedBytes(context, edit))
  const { checkpoint } = context.input
  return media + texts + edited + (checkpoint?.summary ? byteLength(checkpoint.summary.text + checkpoint.summary.record) : 0)
}

const known = new WeakMap<Message, number>()

function textBytes(message: Message): number {
  return memoized(known, message, () => sumOf(message.parts, (part) => wrapping + bytesOfPart(part)))
}

function bytesOfPart(part: Part): number {
  return part.type === 'opaque' ? part.size : part.type === 'reasoning' ? byteLength(part.text) + (part.sealedSize ?? 0) : byteLength(partText(part))
}

function replacedBytes(context: Context, { index, callId, kind }: Edit): number {
  const part = (kind === 'arguments' ? callIn : resultIn)(context.input.messages[index], callId)
  return part ? bytesOfPart(part) : 0
}
