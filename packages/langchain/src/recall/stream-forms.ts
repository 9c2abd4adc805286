import type { BaseMessage } from '@langchain/core/messages'
import type { ChatGenerationChunk } from '@langchain/core/outputs'
import type { ProviderModel, RunManager, Settings, StreamEvent } from '../derived-model.ts'
import { eventOpener, opener } from '../failed-stream.ts'
import type { Open } from '../opened-stream.ts'
import { streamEvents } from './event-rounds.ts'
import { stream } from './stream-rounds.ts'
import type { Turn } from './turn.ts'

/** One of the two forms in which LangChain streams a reply: how a request of a model is opened, and how the rounds of a call become one stream. */
export interface StreamForm<T> {
  open(model: ProviderModel): (messages: BaseMessage[], settings: Settings, run?: RunManager) => AsyncGenerator<T>
  rounds(turn: Turn, messages: readonly BaseMessage[], open: Open<T>, isObject: boolean): AsyncGenerator<T>
}

export const asChunks: StreamForm<ChatGenerationChunk> = { open: opener, rounds: stream }
export const asEvents: StreamForm<StreamEvent> = { open: eventOpener, rounds: streamEvents }
