// What a user writes, compiled against both ends of the range of peers.
import {
  Agent,
  getCurrentTrace,
  MemorySession,
  type Model,
  type ModelProvider,
  Runner,
  run,
  type Session,
  type Tool,
  tool,
  withCustomSpan,
} from '@openai/agents'
import type { StorageDriver } from '@precis/core'
import { z } from 'zod'
import {
  agentsTrace,
  cacheToolOutputs,
  compactionFilter,
  compactionSession,
  compactionTools,
  modelSummarizer,
  sessionOf,
  withCompaction,
} from '../../src/index.ts'

declare const model: Model
declare const provider: ModelProvider
const options = { limits: { contextWindow: 200_000 }, trace: agentsTrace({ getCurrentTrace, withCustomSpan }), summarizer: modelSummarizer({ model }) }

export const wrapped: Model = withCompaction(model, options)
export const everywhere: ModelProvider = withCompaction(provider, options)
export const session: Session = compactionSession(new MemorySession(), options)
const own = tool({ name: 'read', description: 'Reads.', parameters: z.object({ path: z.string() }), execute: async ({ path }) => path })
export const tools: Tool[] = cacheToolOutputs([own, ...compactionTools(sessionOf(wrapped))], options)

const agent = new Agent({ name: 'A', model: wrapped, tools })
new Runner({ modelProvider: everywhere, callModelInputFilter: compactionFilter(options) })
run(agent, 'hi', { session, callModelInputFilter: compactionFilter(options) })

declare const storage: StorageDriver | undefined
withCompaction(model, { storage, limits: undefined, protect: undefined, session: undefined, recall: undefined, onWarning: undefined, onReport: undefined })
compactionFilter({ storage, redact: undefined })
