import type { BaseMessage } from '@langchain/core/messages'
import { recallTool } from '@precis/core'
import { strictly, wantsObject, withoutTool } from '../bound-tools.ts'
import { derive, isChatModel, type ProviderModel, type RunManager, type Settings } from '../derived-model.ts'
import type { Hearing } from '../hearing.ts'
import { generate } from './generate-rounds.ts'
import { asChunks, asEvents, type StreamForm } from './stream-forms.ts'
import type { Turn } from './turn.ts'

export interface InRounds {
  readonly model: unknown
  /** It was called. */
  heard(): boolean
  /** It replied. */
  answered(): boolean
  /** A part of its reply was shown, or something looked up for it: asked again, it would be another reply. */
  begun(): boolean
}

/**
 * The model of a request, with its look-ups answered on the way. Inside the model, so that it is one reply to the graph, to its streams and to other middleware;
 * calls through a model that somebody puts in its place are answered by the tool node.
 *
 * @param ours - Names of our own tools.
 * @param hearing - Is told what it fails with.
 */
export async function inRounds(
  model: unknown,
  turn: Turn,
  ours: ReadonlySet<string>,
  configurable: Readonly<Record<string, unknown>> | undefined,
  hearing: Pick<Hearing, 'failed'>,
): Promise<InRounds> {
  let [heard, hasFailed, spoken] = [false, false, false]
  const begin = (): void => {
    ;[heard, hasFailed] = [true, false]
  }
  const failed = (error: unknown): never => {
    hasFailed = true
    hearing.failed(error)
    throw error
  }
  const asked = (provider: ProviderModel, settings: Settings, withTool: boolean): Settings =>
    strictly(provider, turn.offered && !withTool ? withoutTool(settings, recallTool.name) : settings, ours)
  const chosen = isChatModel(model) && model._getModelInstance !== undefined ? await model._getModelInstance({ configurable }) : model
  const streamed = <T>(form: StreamForm<T>) =>
    async function* (provider: ProviderModel, messages: BaseMessage[], settings: Settings, run?: RunManager): AsyncGenerator<T> {
      begin()
      const open = form.open(provider)
      try {
        for await (const part of form.rounds(turn, messages, (sent, withTool) => open(sent, asked(provider, settings, withTool), run), wantsObject(settings))) {
          spoken = true
          yield part
        }
      } catch (error) {
        failed(error)
      }
    }
  const inner = derive(chosen, {
    generate(provider, messages, settings, run) {
      begin()
      return generate(turn, messages, (sent, withTool) => provider._generate(sent, asked(provider, settings, withTool), run), wantsObject(settings)).catch(
        failed,
      )
    },
    stream: streamed(asChunks),
    events: streamed(asEvents),
  })
  return {
    model: inner,
    heard: () => heard,
    answered: () => heard && !hasFailed,
    begun: () => spoken || turn.hasLookedUp(),
  }
}
