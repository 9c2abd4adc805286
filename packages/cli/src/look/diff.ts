import type { CompactionReport, Message } from '@precis/core'
import { createTwoFilesPatch } from 'diff'
import type { Transcript } from '../transcripts/transcript.ts'
import { plain } from './plain.ts'

/** One message before and after a compaction. */
export interface DiffEntry {
  readonly index: number
  readonly role: string
  readonly change: 'kept' | 'edited' | 'summarized' | 'dropped'
  /** Its beginning, on one line. */
  readonly preview: string
  /** Unified differences of each edited part. */
  readonly patches: readonly string[]
}

/** What a compaction changed in one conversation. Sizes in tokens by the built-in estimator. */
export interface TranscriptDiff {
  readonly name: string
  readonly tokens: { readonly before: number; readonly after: number }
  readonly entries: readonly DiffEntry[]
  /** The messages that were not there before: the summary. */
  readonly added: readonly string[]
}

/** What a compaction changed, message by message. */
export function diffTranscript(
  transcript: Transcript,
  compacted: { readonly messages: readonly unknown[]; readonly report: CompactionReport },
): TranscriptDiff {
  const { plan, tokens } = compacted.report
  const before = transcript.messages.map((message) => transcript.codec.read(message))
  const [summarized, dropped] = [new Set(plan.summarize), new Set(plan.drop)]
  const entries = before.map((message, index): DiffEntry => {
    const edits = plan.edits.filter((edit) => edit.index === index)
    const change = dropped.has(index) ? 'dropped' : summarized.has(index) ? 'summarized' : edits.length > 0 ? 'edited' : 'kept'
    const patches = edits.map((edit) => patchOf(message, edit.callId, edit.kind, edit.text))
    return { index, role: message.role, change, preview: previewOf(message), patches }
  })
  const originals = new Set(transcript.messages)
  const edited = entries.filter((entry) => entry.change === 'edited').length
  const fresh = compacted.messages.filter((message) => !originals.has(message)).map((message) => transcript.codec.read(message))
  const added = fresh.filter((message) => message.summary !== undefined || edited === 0).map(fullText)
  return { name: transcript.name, tokens, entries, added }
}

function patchOf(message: Message, callId: string, kind: string, text: string): string {
  const part = message.parts.find((one) => 'callId' in one && one.callId === callId && (kind === 'arguments') === (one.type === 'tool-call'))
  const original = part?.type === 'tool-result' ? part.output : part?.type === 'tool-call' ? part.input : '(attachments)'
  const name = `${kind} of ${callId === '' ? 'the message' : callId}`
  return createTwoFilesPatch(name, name, `${original}\n`, `${text}\n`, 'before', 'after', { context: 1 }).split('\n').slice(1).join('\n').trimEnd()
}

function fullText(message: Message): string {
  return message.parts.map((part) => (part.type === 'text' ? part.text : part.type === 'tool-result' ? part.output : '')).join('\n')
}

/** Characters of one line in a list. */
const longestPreview = 90

export function previewOf(message: Message): string {
  const text = message.parts
    .map((part) =>
      part.type === 'text'
        ? part.text
        : part.type === 'tool-call'
          ? `${part.tool}(${part.input})`
          : part.type === 'tool-result'
            ? part.output
            : `(${part.type})`,
    )
    .join(' ')
    .replace(/\s+/g, ' ')
    .trim()
  return text.length <= longestPreview ? plain(text) : `${plain(text.slice(0, longestPreview))}…`
}
