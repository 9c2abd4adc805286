import { aCount, aFunction, anObject, aText, type ValueRules } from '@precis/core/adapters'
import type { ModelMessage } from 'ai'
import type { PartWriter } from './chat.ts'

/** A method, so that functions of each major's own type fit. */
interface OwnPrepareStep {
  prepareStep(options: StepOptions & { readonly stepNumber: number }): unknown
}

/** What one run tells its compaction that `prepareStep` itself is not told. */
export interface PrepareStepOptions {
  /** Conversation that this run belongs to, for compactions that outlive the run. Default: each run is its own. */
  readonly session?: string | undefined
  /** The tools of the run, for the budget: `prepareStep` is not told about them. */
  readonly tools?: unknown
  /** The run's own setting, which `prepareStep` is not told: kept free for each reply. Default: what the provider's client asks for by itself, otherwise at most a quarter of the window. */
  readonly maxOutputTokens?: number | undefined
  /** The run's own signal: `prepareStep` is not given it. */
  readonly abortSignal?: AbortSignal | undefined
  /** The writer of `createUIMessageStream`: each compaction is noted in the chat as a `data-compaction` part. */
  readonly writer?: PartWriter | undefined
  /** Your own `prepareStep`; runs first, and what it returns is kept. */
  readonly prepareStep?: OwnPrepareStep['prepareStep'] | undefined
  /** Never: these are what the SDK hands to the function that `prepareStep()` returns. */
  readonly steps?: never
  readonly messages?: never
}

export interface StepView {
  /** Its body only where the SDK keeps it: always in 5 and 6, in 7 with `include: { requestBody: true }`. */
  readonly request?: { readonly body?: unknown }
  readonly usage?: unknown
  readonly providerMetadata?: unknown
}

/** What we look at of the SDK's own options; majors differ in the rest. */
export interface StepOptions {
  readonly messages: ModelMessage[]
  /** Version 7 carries what a step was shown into the next one, and tells the whole of the run beside it. */
  readonly initialMessages?: readonly ModelMessage[]
  readonly responseMessages?: readonly ModelMessage[]
  readonly steps: readonly StepView[]
  readonly model?: unknown
  readonly instructions?: unknown
}

const notGiven = { is: () => false, expected: 'write prepareStep: compaction.prepareStep()' }
export const stepRules: ValueRules<PrepareStepOptions> = {
  session: aText('expected a text: String(id), say'),
  tools: anObject('write the tools of the run: { name: tool, … }'),
  maxOutputTokens: aCount(1, 'expected tokens, 4_000, say'),
  abortSignal: anObject('write abortSignal: controller.signal', 'throwIfAborted'),
  writer: anObject('write the writer of createUIMessageStream', 'write'),
  prepareStep: aFunction('write your own prepareStep: a function'),
  steps: notGiven,
  messages: notGiven,
}
