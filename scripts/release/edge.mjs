// Bundled for a runtime that has the web's globals and nothing of Node: core, adapters, the catalog of models.
import { createCompaction } from '@precis/ai-sdk'
import { createCompactor, createToolOutputStore, encryptedStorage, memoryStorage, neutralCodec } from '@precis/core'
import { knownLimits } from '@precis/models'
import { createCodec, withCompaction } from '@precis/openai-agents'

const limits = { contextWindow: 6_000, maxOutput: 500 }
const words = (at) => `message ${at} ${'with many words '.repeat(60)}`
const storage = encryptedStorage(memoryStorage(), { key: (id = 'k') => ({ id, key: new Uint8Array(32) }) })
const neutral = Array.from({ length: 60 }, (_, at) => ({ role: at % 2 === 0 ? 'user' : 'assistant', parts: [{ type: 'text', text: words(at) }] }))
const { report } = await createCompactor({ codec: neutralCodec, limits, storage, outputs: createToolOutputStore(storage) })
  .session('s')
  .beforeModelCall(neutral)
const messages = neutral.map(({ role, parts }) => ({ role, content: parts[0].text }))
const step = await createCompaction({ limits }).prepareStep()({ messages: [...messages, { role: 'user', content: 'now?' }], steps: [] })
if (
  report.outcome !== 'summarized' ||
  step.messages.length >= 60 ||
  typeof withCompaction !== 'function' ||
  typeof createCodec !== 'function' ||
  knownLimits('gpt-4o')?.contextWindow !== 128_000
)
  throw new Error('edge: not as expected')
globalThis.finished('  core, ai-sdk, openai-agents, models')
