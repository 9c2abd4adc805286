import {
  builtInEstimator,
  type Embedder,
  type Message,
  memoryStorage,
  mergePolicy,
  neutralCodec,
  type PolicyOverrides,
  presets,
  type StorageDriver,
  type Summarizer,
  type ToolOutputStore,
} from '@precis/core'
import { assistant, fakeClock, fakeSummarizer, freezeDeep, history, step, user } from '@precis/testkit'
import { createTokenMemo } from '../../../../src/budget/estimate.ts'
import { createBreakers } from '../../../../src/runtime/breaker.ts'
import { createEffects } from '../../../../src/runtime/effects.ts'
import { boundedStorage } from '../../../../src/runtime/session/host/bounded.ts'
import type { CompactorParts } from '../../../../src/runtime/session/host/parts.ts'
import { createRedaction } from '../../../../src/runtime/session/host/redaction.ts'
import { emptyMemory, type Memory } from '../../../../src/runtime/session/memory.ts'
import { createHistoryReader } from '../../../../src/runtime/session/reading/history-reader.ts'
import { createReadingAhead } from '../../../../src/runtime/session/reading/read-ahead.ts'
import { createRenderer } from '../../../../src/runtime/session/reading/renderer.ts'
import type { SessionParts } from '../../../../src/runtime/session/session-parts.ts'
import { noOutputs } from '../../../../src/runtime/session/stored/kept-outputs.ts'
import { createStateStore } from '../../../../src/runtime/session/stored/state-store.ts'
import { createBackground } from '../../../../src/runtime/session/summarizing/background.ts'

// One step of a request needs the parts of a session and nothing else of it: they are the real ones here, and what they reach outside is written down in order.

export interface Given {
  readonly policy?: PolicyOverrides
  readonly summarizer?: Summarizer
  readonly fullSummarizer?: Summarizer
  readonly storage?: StorageDriver
  readonly archive?: CompactorParts<Message>['archive']
  readonly outputs?: Pick<ToolOutputStore, 'keep' | 'save' | 'gc' | 'tools'>
  readonly embedder?: Embedder
  readonly redact?: (text: string) => string
}

export interface Stepping {
  readonly parts: SessionParts<Message>
  /** Names of the events, in order. */
  readonly events: string[]
}

export function stepping(given: Given = {}): Stepping {
  const { summarizer = fakeSummarizer(), storage = memoryStorage() } = given
  const clock = fakeClock()
  const events: string[] = []
  const emitter = {
    heard: true,
    redact: String,
    emit: (_session: string, drafts: readonly { readonly event: string }[]) => void events.push(...drafts.map(({ event }) => event)),
    flush: async () => {},
    shutdown: async () => {},
  }
  const policy = mergePolicy(presets.balanced, given.policy ?? {})
  const rules = { policy, estimator: builtInEstimator }
  const effects = createEffects(5_000, emitter, 's')
  const compactor: CompactorParts<Message> = {
    ...rules,
    codec: neutralCodec,
    limitsOf: () => ({ contextWindow: 6_000, maxOutput: 500 }),
    rulesFor: () => rules,
    directives: undefined,
    rungs: undefined,
    rules: undefined,
    tools: undefined,
    summarizer,
    fullSummarizer: given.fullSummarizer ?? summarizer,
    embedder: given.embedder,
    storage: boundedStorage(storage, effects),
    archive: given.archive,
    outputs: given.outputs,
    redaction: createRedaction(given.redact ?? false, undefined, false, clock),
    redacts: given.redact !== undefined,
    paid: true,
    breakers: createBreakers(),
    learned: new Map(),
    errorPatterns: [],
    clock,
    emitter,
    trace: undefined,
    queue: undefined,
    effects,
  }
  const parts: SessionParts<Message> = {
    ...compactor,
    id: 's',
    tokens: createTokenMemo(builtInEstimator, policy.trigger.media),
    store: createStateStore(storage, 's', clock),
    reader: createHistoryReader(neutralCodec),
    render: createRenderer(neutralCodec, policy.summary),
    background: createBackground(),
    reading: createReadingAhead(),
    kept: compactor.outputs && noOutputs(compactor.outputs, compactor, 's'),
    report: () => {},
    ready: async () => {},
    soon: () => {},
    emit: (event) => void events.push(event),
  }
  return { parts, events }
}

/** Of a conversation of which nothing is known yet. Frozen, like all that a step is given: it gives the next memory, and leaves this one as it is. */
export const memory: Memory<Message> = freezeDeep({ ...emptyMemory, state: { ...emptyMemory.state } })

/** A session of so many turns, about 700 tokens each. */
export const turns = (count: number): readonly Message[] =>
  freezeDeep(
    history(
      ...Array.from({ length: count }, (_, turn) => [
        user(`Request ${turn}: load the settings of module${turn} lazily.`),
        step(
          'read_file',
          `call-${turn}`,
          { path: `src/module${turn}.ts` },
          Array.from({ length: 40 }, (_, line) => `${line}: export const value${turn}x${line} = ${line}`).join('\n'),
        ),
        assistant(`Module ${turn} is done because its settings load when they are read.`),
      ]).flat(),
    ),
  )

/** What is stored under keys that begin so. */
export async function keysIn(storage: StorageDriver, prefix = ''): Promise<readonly string[]> {
  const keys: string[] = []
  for await (const key of storage.list(prefix)) keys.push(key)
  return keys
}
