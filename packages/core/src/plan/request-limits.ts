import { callIn, resultIn } from '../history/groups.ts'
import { memoized } from '../history/memoize.ts'
import { type Message, type Part, partText } from '../history/message.ts'
import type { Pieces } from '../history/pieces.ts'
import { oldMedia } from '../prune/media.ts'
import { byteLength } from '../prune/view.ts'
import { type Context, sum } from './context.ts'
import { replace } from './shorten.ts'
import { pruneView } from './visible.ts'

/** A context with its attachments within the limits of one request, and by how much its bytes are still over (1: not at all). */
export interface Limited {
  readonly context: Context
  readonly over: number
}

/** The second budget: providers refuse bodies by bytes, and requests by the number of their attachments, long before the window is full. */
export function* withinRequest(context: Context): Pieces<Limited> {
  const limits = context.input.policy.trigger.request
  if (!limits) return { context, over: 1 }
  const { media = Infinity, bytes: most = Infinity } = limits
  let current = context
  if (current.shownMedia.length > media) current = yield* replace(current, oldMedia(pruneView(current), media))
  for (let keep = current.shownMedia.length; keep > 0 && bytesOf(current) > most; keep = Math.floor(keep / 2)) {
    current = yield* replace(current, oldMedia(pruneView(current), keep >> 1))
  }
  return { context: current, over: Math.max(1, bytesOf(current) / most) }
}

/** Bytes of JSON around one part, and of an attachment of unknown size. */
const wrapping = 120
const unknownAttachment = 200_000

/** Bytes of the request's messages, about: texts in UTF-8, attachments in base64. */
function bytesOf(context: Context): number {
  const media = sum(context.shownMedia.map((one) => Math.ceil(((one.media.bytes ?? unknownAttachment) * 4) / 3)))
  const texts = sum(context.messages.map(textBytes))
  const edited = sum([...context.edits.values()].map((edit) => byteLength(edit.text) - replacedBytes(context, edit.index, edit.callId, edit.kind)))
  const { checkpoint } = context.input
  return media + texts + edited + (checkpoint?.summary ? byteLength(checkpoint.summary.text + checkpoint.summary.record) : 0)
}

const known = new WeakMap<Message, number>()

function textBytes(message: Message): number {
  return memoized(known, message, () => sum(message.parts.map((part) => wrapping + bytesOfPart(part))))
}

function bytesOfPart(part: Part): number {
  return part.type === 'opaque' ? part.size : part.type === 'reasoning' ? byteLength(part.text) + (part.sealedSize ?? 0) : byteLength(partText(part))
}

function replacedBytes(context: Context, index: number, callId: string, kind: string): number {
  const part = (kind === 'arguments' ? callIn : resultIn)(context.input.messages[index], callId)
  return part === undefined || callId === '' ? 0 : bytesOfPart(part)
}
