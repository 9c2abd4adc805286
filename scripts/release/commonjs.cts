// A program in CommonJS: its half of LangChain is the one that `require` finds, and ours has to fit it. Compiled only.
import type { BaseChatModel } from '@langchain/core/language_models/chat_models'
import { FakeListChatModel } from '@langchain/core/utils/testing'
import { withCompaction as inAiSdk } from '@precis/ai-sdk'
import { compaction, withCompaction } from '@precis/langchain'
import { withCompaction as inAgents } from '@precis/openai-agents'

const model: BaseChatModel = withCompaction(new FakeListChatModel({ responses: ['yes'] }))
const { tools } = compaction()
export const of = [model, tools, inAiSdk, inAgents]
