import {
  type CompactionPlan,
  type CompactionReport,
  type CompactionSession,
  type CompactorOptions,
  createCompactor,
  type MessageCodec,
  type ModelCall,
  type PolicyOverrides,
} from '@precis/core'
import { createRedactor } from '@precis/redaction'
import type { Transcript } from './transcript.ts'

/** How one conversation is compacted. */
export interface CompactSettings {
  /** Window of the model that will go on, in tokens. */
  readonly window: number
  readonly focus?: string
  readonly policy?: PolicyOverrides
}

/** Compacts one conversation now, without a model. Nothing leaves the machine. The messages are those of the codec: `transcript.write` makes them the file's. */
export async function compactTranscript(
  transcript: Transcript,
  settings: CompactSettings,
): Promise<{ readonly messages: readonly unknown[]; readonly report: CompactionReport }> {
  const { focus } = settings
  return sessionOf(transcript, settings).compact(transcript.messages, { ...besideOf(transcript), ...(focus !== undefined && { focus }) })
}

/** What `compactTranscript` would do. */
export function planTranscript(transcript: Transcript, settings: CompactSettings): CompactionPlan {
  return sessionOf(transcript, settings).plan(transcript.messages, { ...besideOf(transcript), asked: 'manual' })
}

const besideOf = ({ overhead }: Transcript): Pick<ModelCall, 'overhead'> => (overhead === undefined ? {} : { overhead })

/** A session that compacts for this window. */
export function sessionOf(transcript: Transcript, settings: CompactSettings): CompactionSession<unknown> {
  return createCompactor(settingsFor(transcript.codec, settings)).session(transcript.name)
}

/** A compactor for this window. */
export function settingsFor(codec: MessageCodec<unknown>, { window, policy }: CompactSettings): CompactorOptions<unknown> {
  return {
    codec,
    redact: createRedactor(),
    limits: limitsFor(window),
    ...(policy !== undefined && { policy }),
  }
}

/** An eighth of the window is kept for the reply, at most 8,000 tokens. */
export const limitsFor = (window: number): { readonly contextWindow: number; readonly maxOutput: number } => ({
  contextWindow: window,
  maxOutput: Math.min(8_000, Math.floor(window / 8)),
})
