import type { CompactionReport, Message } from '@precis/core'
import { createTwoFilesPatch } from 'diff'
import type { Transcript } from './transcript.ts'

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

const marks = { kept: ' ', edited: '~', summarized: '-', dropped: 'x' } as const
const paint = { kept: '2', edited: '33', summarized: '31', dropped: '31' } as const

/** The differences as a person reads them. @param colors For a terminal. */
export function renderDiff(found: TranscriptDiff, colors: boolean): string {
  const painted = (code: string, text: string): string => (colors ? `\u001b[${code}m${text}\u001b[0m` : text)
  const lines = [`${found.name}: ${found.tokens.before} → ${found.tokens.after} tokens`]
  for (const { index, role, change, preview, patches } of found.entries) {
    lines.push(painted(paint[change], `${marks[change]} ${String(index).padStart(4)} ${role.padEnd(9)} ${preview}`))
    for (const patch of patches) {
      for (const line of patch.split('\n')) lines.push(painted(line.startsWith('+') ? '32' : line.startsWith('-') ? '31' : '2', `       ${line}`))
    }
  }
  for (const text of found.added) for (const line of text.split('\n')) lines.push(painted('32', `+ ${line}`))
  lines.push(`${marks.kept} kept  ${marks.edited} shortened  ${marks.summarized} summarized  ${marks.dropped} left out  + new`)
  return lines.join('\n')
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
  return text.length <= longestPreview ? text : `${text.slice(0, longestPreview)}…`
}
