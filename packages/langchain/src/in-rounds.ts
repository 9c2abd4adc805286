import { AIMessage, type BaseMessage } from '@langchain/core/messages'
import { recallTool } from '@precis/core'
import { strictly, wantsObject, withoutTool } from './bound-tools.ts'
import { derive, isChatModel, type ProviderModel, type RunManager, type Settings } from './derived-model.ts'
import { generate } from './generate-rounds.ts'
import type { Turn } from './recall-turn.ts'
import { asChunks, asEvents, type StreamForm } from './stream-forms.ts'

export interface InRounds {
  readonly model: unknown
  /** It was called. */
  heard(): boolean
  /** What it failed with last, where the reply is the words of that: some middleware makes a reply of an error. */
  failureToldIn(reply: unknown): Error | undefined
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
  let failure: unknown
  const begin = (): void => {
    heard = true
    failure = undefined
  }
  const failed = (error: unknown): never => {
    failure = error
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
    failureToldIn: (reply) => (failure instanceof Error && AIMessage.isInstance(reply) && isToldIn(reply.text, failure) ? failure : undefined),
    begun: () => spoken || turn.hasLookedUp(),
  }
}

const isToldIn = (text: string, { message }: Error): boolean => message !== '' && text.includes(message)

/** A failure that other middleware made a reply of. */
export class ToldFailure extends Error {
  readonly reply: unknown
  constructor(cause: Error, reply: unknown) {
    super(cause.message, { cause })
    this.reply = reply
  }
}
