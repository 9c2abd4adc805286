import {
  type CompactionReport,
  type CompactionSession,
  type Compactor,
  type CompactorOptions,
  createCompactor,
  type MessageCodec,
  type ModelCall,
} from '@precis/core'
import { restAfter } from '@precis/core/adapters'
import { createRedactor } from '@precis/redaction'
import type { SdkMessage } from '@precis/wire/ai-sdk'
import { createCodec } from '@precis/wire/ai-sdk'
import { ascribing, type Recovers } from './ascribe.ts'
import { createBodies } from './body.ts'
import { endpointOf } from './endpoint.ts'
import { createLimits } from './limits.ts'
import { readOverhead } from './overhead.ts'
import type { Metered, Params, Sent } from './provider-call.ts'
import { readUsage } from './usage.ts'

export type DoorOptions = Omit<CompactorOptions<never>, 'codec'>

/** What all ways to wrap a model have in common: finding the conversation of a prompt, describing its call to the session, learning from the answer. */
export interface Door {
  readonly codec: MessageCodec<SdkMessage>
  readonly compactor: Compactor<SdkMessage>
  /** The conversation of a history: by name, or known by what it says. */
  sessionOf(history: readonly SdkMessage[], name: string | undefined): CompactionSession<SdkMessage>
  callOf(params: Params, model: { readonly modelId: string }): Promise<ModelCall>
  /** The body that was sent for a call says how long a reply it asked for, and what the provider is asked to do by itself. */
  learnBody(params: Params, model: { readonly modelId: string }, sent: Sent): void
  /** A session that blames a refusal on the model that refused, as a wrapper may have fallen back to another one than was called. */
  ascribing(session: Recovers): Recovers
  /** @param report The receipt of the context whose tokens were counted; undefined where it went out as it came. */
  learnUsage(session: () => CompactionSession<SdkMessage>, reply: Metered, report: CompactionReport | undefined): Promise<void>
}

export function createDoor(options: DoorOptions): Door {
  const codec = createCodec<SdkMessage>()
  const { limits, learn } = createLimits(options.limits)
  const compactor = createCompactor<SdkMessage>({ redact: createRedactor(), restAfter, ...options, ...(limits !== undefined && { limits }), codec })
  const bodies = createBodies()
  return {
    codec,
    compactor,
    sessionOf: (history, name) => (name === undefined ? compactor.conversation(history) : compactor.session(name)),
    async callOf(params, model) {
      await learn(model)
      const endpoint = endpointOf(model)
      return {
        overhead: { ...readOverhead({ tools: params.tools, responseFormat: params.responseFormat }), system: 0 }, // the system message is part of the prompt here
        model: model.modelId,
        ...(endpoint !== undefined && { endpoint }),
        ...(await bodies.of(model, params)),
        ...(params.abortSignal !== undefined && { signal: params.abortSignal }),
      }
    },
    learnBody: (params, model, { request }) => bodies.learn(model, params, request?.body),
    ascribing: (session) => ascribing(session, bodies.isNamed),
    learnUsage: (session, { usage, providerMetadata }, report) =>
      compactor.guard(
        () => session().afterModelCall({ usage: readUsage(usage, providerMetadata), report }),
        () => undefined,
      ),
  }
}
