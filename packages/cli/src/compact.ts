import {
  type CompactionPlan,
  type CompactionReport,
  type CompactionSession,
  type CompactorOptions,
  createCompactor,
  type MessageCodec,
  type ModelCall,
  type ModelLimits,
  type PolicyOverrides,
  type Prepared,
} from '@precis/core'
import { createRedactor } from '@precis/redaction'
import type { Transcript } from './transcripts/transcript.ts'

/** How one conversation is compacted. */
export interface CompactSettings {
  /** Window of the model that will go on, in tokens. */
  readonly window: number
  /** Most tokens of a prompt, where the model has a limit of its own. */
  readonly maxInput?: number | undefined
  /** Most tokens of a reply. Default: an eighth of the window, at most 8,000. */
  readonly maxOutput?: number | undefined
  readonly focus?: string
  readonly policy?: PolicyOverrides
  /** Leaves alone what is below the level `hard` of the policy. Default: whoever calls wants it smaller. */
  readonly onlyIfDue?: boolean
}

/** Compacts one conversation now, without a model. Nothing leaves the machine. The messages are those of the codec: `transcript.write` makes them the file's. */
export async function compactTranscript(
  transcript: Transcript,
  settings: CompactSettings,
): Promise<{ readonly messages: readonly unknown[]; readonly report: CompactionReport }> {
  return compactHistory(transcript.messages, settings, (own) => sessionOf(transcript, own), besideOf(transcript))
}

/** Compacts, or leaves alone what fits, where the settings say so: what a provider would refuse is mended all the same. */
export async function compactHistory<M>(
  history: readonly M[],
  settings: CompactSettings,
  sessionFor: (settings: CompactSettings) => CompactionSession<M>,
  beside: Pick<ModelCall, 'overhead'> = {},
): Promise<Prepared<M>> {
  const { focus, onlyIfDue } = settings
  if (onlyIfDue === true) {
    const session = sessionFor(waiting(settings))
    await session.view(history) // whatever is stored of it is known to the plan
    if (session.plan(history, beside).decision.action === 'none') return session.beforeModelCall(history, beside)
  }
  return sessionFor(settings).compact(history, { ...beside, ...(focus !== undefined && { focus }) })
}

/** The same thresholds for a session that nobody asks: it compacts when it has to, also where the policy leaves that to people, and nothing goes before. */
function waiting({ policy, ...settings }: CompactSettings): CompactSettings {
  const prune = policy?.prune === false ? false : { ...policy?.prune, maintain: [] }
  return { ...settings, policy: { ...policy, trigger: { ...policy?.trigger, auto: true }, prune } }
}

/** What `compactTranscript` would do. */
export function planTranscript(transcript: Transcript, settings: CompactSettings): CompactionPlan {
  const { messages } = transcript
  const asItIs = settings.onlyIfDue === true ? sessionOf(transcript, waiting(settings)).plan(messages, besideOf(transcript)) : undefined
  return asItIs?.decision.action === 'none' ? asItIs : sessionOf(transcript, settings).plan(messages, { ...besideOf(transcript), asked: 'manual' })
}

const besideOf = ({ overhead }: Transcript): Pick<ModelCall, 'overhead'> => (overhead === undefined ? {} : { overhead })

/** A session that compacts for this window. */
export function sessionOf(transcript: Transcript, settings: CompactSettings): CompactionSession<unknown> {
  return createCompactor(settingsFor(transcript.codec, settings)).session(transcript.name)
}

/** A compactor for this window. */
export function settingsFor(codec: MessageCodec<unknown>, { policy, ...limits }: CompactSettings): CompactorOptions<unknown> {
  return {
    codec,
    redact: createRedactor(),
    limits: limitsFor(limits),
    ...(policy !== undefined && { policy }),
  }
}

/** An eighth of the window is kept for the reply, at most 8,000 tokens, where nobody says how long it may be. */
export const limitsFor = ({ window, maxInput, maxOutput = Math.min(8_000, Math.floor(window / 8)) }: CompactSettings): ModelLimits => ({
  contextWindow: window,
  maxInput,
  maxOutput,
})
