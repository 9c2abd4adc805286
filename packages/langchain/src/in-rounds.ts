import { recallTool } from '@precis/core'
import { strictly, wantsObject, withoutTool } from './bound-tools.ts'
import { derive, isChatModel, type ProviderModel, type Settings } from './derived-model.ts'
import { opener } from './failed-stream.ts'
import { generate } from './generate-rounds.ts'
import type { Turn } from './recall-turn.ts'
import { stream } from './stream-rounds.ts'

export interface InRounds {
  readonly model: unknown
  /** It was called. */
  heard(): boolean
  /** A part of its reply was shown, or something looked up for it: asked again, it would be another reply. */
  begun(): boolean
}

/**
 * The model of a request, with its look-ups answered on the way. Inside the model, so that it is one reply to the graph, to its streams and to other middleware;
 * calls through a model that somebody puts in its place are answered by the tool node.
 *
 * @param ours - Names of our own tools.
 */
export async function inRounds(
  model: unknown,
  turn: Turn,
  ours: ReadonlySet<string>,
  configurable: Readonly<Record<string, unknown>> | undefined,
): Promise<InRounds> {
  let [heard, spoken] = [false, false]
  const asked = (provider: ProviderModel, settings: Settings, withTool: boolean): Settings =>
    strictly(provider, turn.offered && !withTool ? withoutTool(settings, recallTool.name) : settings, ours)
  const chosen = isChatModel(model) && model._getModelInstance !== undefined ? await model._getModelInstance({ configurable }) : model
  const inner = derive(chosen, {
    generate(provider, messages, settings, run) {
      heard = true
      return generate(turn, messages, (sent, withTool) => provider._generate(sent, asked(provider, settings, withTool), run), wantsObject(settings))
    },
    async *stream(provider, messages, settings) {
      heard = true
      const open = opener(provider)
      for await (const chunk of stream(turn, messages, (sent, withTool) => open(sent, asked(provider, settings, withTool)), wantsObject(settings))) {
        spoken = true
        yield chunk
      }
    },
  })
  return { model: inner, heard: () => heard, begun: () => spoken || turn.hasLookedUp() }
}
