import type { BaseChatModel } from '@langchain/core/language_models/chat_models'
import type { BaseMessage } from '@langchain/core/messages'
import type { Runnable } from '@langchain/core/runnables'
import { createReactAgent } from '@langchain/langgraph/prebuilt'
import { memoryStorage } from '@precis/core'
import { createDeepAgent } from 'deepagents'
import { type AgentMiddleware, createAgent } from 'langchain'
import { expectTypeOf, test } from 'vitest'
import { compactionMiddleware, compactionTools, createCompactionNode, createCompactor, createPreModelHook, withCompaction } from '../src/index.ts'

test('fits every place where LangChain, LangGraph and deepagents take it', () => {
  const middleware: AgentMiddleware = compactionMiddleware({ limits: { contextWindow: 200_000 } })
  createAgent({ model: 'openai:gpt-5', tools: [], middleware: [compactionMiddleware(), middleware] })
  createDeepAgent({ middleware: [compactionMiddleware({ name: 'SummarizationMiddleware' })] })
  createReactAgent({ llm: 'openai:gpt-5' as never, tools: compactionTools({ tools: () => [] }), preModelHook: createPreModelHook() as never })
  const chain: Runnable<never, BaseMessage[]> = createCompactor()
  chain.pipe((messages: BaseMessage[]) => messages.length)
})

test('an option that is there or undefined compiles, under exactOptionalPropertyTypes too', () => {
  const storage = Math.random() > 2 ? memoryStorage() : undefined
  compactionMiddleware({ storage, name: undefined, mode: undefined, recall: undefined, modelTools: undefined, redact: undefined, onReport: undefined })
  withCompaction({} as BaseChatModel, { storage, limits: undefined, session: undefined, recall: undefined })
  createCompactor({ storage, model: undefined })
})

test('what we return is typed', () => {
  expectTypeOf(createCompactor().invoke).returns.resolves.toEqualTypeOf<BaseMessage[]>()
  expectTypeOf(createPreModelHook()).returns.resolves.toEqualTypeOf<{ llmInputMessages: BaseMessage[] }>()
  expectTypeOf(createCompactionNode()).returns.resolves.toEqualTypeOf<{ messages?: BaseMessage[] }>()
  expectTypeOf(compactionTools).returns.not.toBeAny()
})
