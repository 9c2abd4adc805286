import { type CompactionReport, type CompactionSession, type Compactor, type CompactorOptions, createCompactor, InvalidConfigurationError } from '@precis/core'
import { aCount, checkGiven, checkValues, givenOptions, ownToolNames } from '@precis/core/adapters'
import { createRedactor } from '@precis/redaction'
import { createCodec } from '@precis/wire/ai-sdk'
import type { ModelMessage } from 'ai'
import { createBodies } from './body.ts'
import { compactionPart } from './chat.ts'
import { compactsItself } from './compacts-itself.ts'
import { endpointOf } from './endpoint.ts'
import { createLimits, type KnownLimits } from './limits.ts'
import { createMender } from './mend.ts'
import { createMiddleware, type MiddlewareOptions, type OverflowMiddleware } from './middleware.ts'
import { readOverhead } from './overhead.ts'
import { type PrepareStepOptions, type StepOptions, type StepView, stepRules } from './step-options.ts'
import { withJsonSchemas } from './tool-schemas.ts'
import { withCachedOutputs } from './tools.ts'
import { readUsage } from './usage.ts'

/** Everything that `createCompactor` takes. */
export type CompactionOptions = Omit<CompactorOptions<ModelMessage>, 'codec'>

/** What `createCompaction` returns: one compactor, and the places of the AI SDK where it is plugged in. */
export interface Compaction {
  /** For `generateText`, `streamText` and agents: `prepareStep: compaction.prepareStep()`. */
  prepareStep(options?: PrepareStepOptions): PrepareStep
  /** For `wrapLanguageModel`: keeps calls of foreign code inside the window and recovers from overflows. */
  middleware(options?: MiddlewareOptions): OverflowMiddleware
  /** Your tools, with long outputs going to the store: the model is shown a view and a reference. Values that are no text stay what they are in your chat. Needs `outputs`. */
  cacheToolOutputs<T extends object>(tools: T): T
  /** The session behind an id: `compact`, `plan`, `rewind`, `state`. */
  session(id: string): CompactionSession<ModelMessage>
  readonly compactor: Compactor<ModelMessage>
}

/** Fits `prepareStep` of every SDK function. */
// biome-ignore lint/suspicious/noExplicitAny: what the user's own prepareStep adds has the SDK's type, which differs by major and by tool set
export type PrepareStep = (options: StepOptions) => Promise<any>

/** Names of sessions that are remembered with their layer. */
const mostClaims = 1_000

/** @throws InvalidConfigurationError for limits or a policy that cannot be meant. */
export function createCompaction(given: CompactionOptions = {}): Compaction {
  const options = givenOptions(given)
  const known = createLimits(options.limits)
  const { limits } = known
  const compactor = createCompactor<ModelMessage>({
    redact: createRedactor(),
    ...options,
    ...(limits !== undefined && { limits }),
    codec: createCodec<ModelMessage>(),
  })
  const layers = new Map<string, 'prepareStep' | 'middleware'>()
  /** A conversation and the prompts made of it are two histories: under one name each would replace the other's transcript. */
  const claim = (session: string | undefined, layer: 'prepareStep' | 'middleware'): void => {
    if (session === undefined || options.archive === undefined) return
    const before = layers.get(session) ?? layer
    if (layers.size >= mostClaims) layers.clear()
    if (before !== layer)
      throw new InvalidConfigurationError('session', session, `archived by ${before} already: give another session for the middleware, or none`)
    layers.set(session, layer)
  }
  return {
    compactor,
    session: (id) => compactor.session(id),
    cacheToolOutputs(tools) {
      if (options.outputs === undefined) throw new InvalidConfigurationError('outputs', null, 'write createToolOutputStore(storage)')
      return withCachedOutputs(tools, (tool, output, signal) => compactor.receiveOutput(tool, output, { signal }), ownToolNames(options))
    },
    middleware: called('middleware: compaction.middleware()', (middlewareOptions = {}) => {
      checkGiven<MiddlewareOptions>('middleware', middlewareOptions, { session: stepRules.session }, elsewhere)
      claim(middlewareOptions.session, 'middleware')
      // The codec reads conversations and prompts alike, so one archive takes both.
      return createMiddleware(options as Parameters<typeof createMiddleware>[0], middlewareOptions)
    }),
    prepareStep(stepOptions = {}) {
      if (Array.isArray(stepOptions.steps))
        throw new InvalidConfigurationError('prepareStep', 'compaction.prepareStep', 'write prepareStep: compaction.prepareStep()')
      checkGiven<PrepareStepOptions>('prepareStep', stepOptions, stepRules, elsewhere)
      claim(stepOptions.session, 'prepareStep')
      return createPrepareStep(compactor, known, stepOptions)
    },
  }
}

/** What is told to the whole compaction, and not to a part of it. */
const elsewhere = Object.fromEntries(
  ['limits', 'policy', 'summarizer', 'storage', 'archive', 'outputs', 'recall'].map((name) => [name, `createCompaction({ ${name} })`]),
)

/** A function that is to be called first: where the SDK is given itself, it would find none of what it looks for, and go on without. */
function called<T extends Compaction['middleware']>(write: string, make: T): T {
  return Object.defineProperty(make, 'transformParams', {
    get() {
      throw new InvalidConfigurationError('middleware', 'compaction.middleware', `write ${write}`)
    },
  })
}

function createPrepareStep(compactor: Compactor<ModelMessage>, known: KnownLimits, options: PrepareStepOptions): PrepareStep {
  const bodies = createBodies()
  // One array object for a whole run: the SDK hands the same one to every step.
  const runs = new WeakMap<object, { session: CompactionSession<ModelMessage>; measured: number; isShown: boolean; report: CompactionReport | undefined }>()
  const sessionOf = (messages: readonly ModelMessage[]): CompactionSession<ModelMessage> =>
    options.session === undefined ? compactor.conversation(messages) : compactor.session(options.session)
  const runOf = (steps: readonly StepView[], messages: readonly ModelMessage[]) => {
    const run = runs.get(steps) ?? { session: sessionOf(messages), measured: 0, isShown: false, report: undefined }
    runs.set(steps, run)
    return run
  }
  const prepared = async (step: StepOptions, own: OwnStep | undefined): Promise<unknown> => {
    const given = own?.messages ?? step.messages
    const messages = withoutHollow(given)
    const { initialMessages, responseMessages = [] } = step
    const whole = initialMessages === undefined ? messages : [...initialMessages, ...responseMessages]
    const run = runOf(step.steps, whole)
    const used = own?.model ?? step.model
    const asked = { maxOutputTokens: options.maxOutputTokens }
    if (step.steps.length > run.measured) {
      run.measured = step.steps.length
      const last = step.steps.at(-1)
      bodies.learn(used, asked, last?.request?.body)
      run.session.afterModelCall({ usage: readUsage(last?.usage, last?.providerMetadata), report: run.report })
    }
    // What was shown instead of the history is known to the conversation that showed it.
    if (!run.isShown) run.session = sessionOf(whole)
    const model = modelId(used)
    const endpoint = endpointOf(used)
    await known.learn(used)
    const { maxOutput } = await bodies.of(used, asked)
    const tools = await withJsonSchemas(options.tools)
    const { messages: context, report } = await run.session.beforeModelCall(messages, {
      overhead: readOverhead({ instructions: own?.instructions ?? step.instructions, tools }),
      ...(model !== undefined && { model }),
      ...(endpoint !== undefined && { endpoint }),
      ...(maxOutput !== undefined && { maxOutput }),
      ...(options.abortSignal !== undefined && { signal: options.abortSignal }),
    })
    run.report = report
    const part = options.writer && compactionPart(report)
    if (part !== undefined) options.writer?.write(part)
    if (initialMessages !== undefined && context !== given) run.isShown = true
    return context === given ? own : { ...own, messages: [...context] }
  }
  const mend = createMender<ModelMessage>()
  /** A step of a model that compacts by itself: that needs the whole history. */
  const mended = (step: StepOptions, own: OwnStep | undefined): unknown => {
    const given = own?.messages ?? step.messages
    const messages = mend(withoutHollow(given))
    return messages === given ? own : { ...own, messages: [...messages] }
  }
  return async (step) => {
    const own = (await options.prepareStep?.(step as never)) as OwnStep | undefined
    return compactor.guard(
      () => (compactsItself(own?.model ?? step.model) ? mended : prepared)(step, own),
      () => own,
      options.abortSignal,
    )
  }
}

/** What the user's own `prepareStep` may change. */
interface OwnStep {
  readonly messages?: ModelMessage[]
  readonly model?: unknown
  readonly instructions?: unknown
}

/** Version 5 turns a data part before a step into an assistant message without content: it would be a message more than the run itself saw. */
function withoutHollow(messages: ModelMessage[]): ModelMessage[] {
  const isHollow = ({ role, content }: ModelMessage): boolean => role === 'assistant' && Array.isArray(content) && content.length === 0
  return messages.some(isHollow) ? messages.filter((message) => !isHollow(message)) : messages
}

function modelId(model: unknown): string | undefined {
  if (typeof model === 'string') return model
  const id = (model as { modelId?: unknown } | undefined)?.modelId
  return typeof id === 'string' ? id : undefined
}

/**
 * A stop condition: ends the run when the newest prompt was larger than `tokens`, so that a server can compact between turns.
 * For `stopWhen`, beside your own conditions.
 * @throws InvalidConfigurationError for what is no number of tokens.
 */
export function contextBudgetExceeded(tokens: number): (options: { readonly steps: readonly StepView[] }) => boolean {
  checkValues({ tokens }, { tokens: { ...aCount(1, 'expected tokens: 100_000, say'), needed: true } })
  return ({ steps }) => {
    const last = steps.at(-1)
    const usage = readUsage(last?.usage, last?.providerMetadata)
    return usage !== undefined && usage.input + usage.cacheRead + usage.cacheWrite > tokens
  }
}
