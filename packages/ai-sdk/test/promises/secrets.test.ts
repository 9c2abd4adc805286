import { withCompaction } from '@precis/ai-sdk'
import { memoryStorage } from '@precis/core'
import { generateText, type ModelMessage } from 'ai'
import { MockLanguageModelV4 } from 'ai/test'
import { expect, it } from 'vitest'

// Put together here, so that this file sets off nobody's alarm.
const secrets = [`hunter${2}`, `Sommer${2024}`, `csk-${'a1b2c3d4e5f6'.repeat(4)}`] as const

it('what people say in a sentence and keys without a name are not stored, without a word about it in the options', async () => {
  const storage = memoryStorage()
  const none = { total: undefined, noCache: undefined, cacheRead: undefined, cacheWrite: undefined, text: undefined, reasoning: undefined }
  const inner = new MockLanguageModelV4({
    doGenerate: async () => ({
      content: [{ type: 'text', text: 'ok' }],
      finishReason: { unified: 'stop', raw: 'stop' },
      usage: { inputTokens: none, outputTokens: none },
      warnings: [],
    }),
  })
  const model = withCompaction(inner, { limits: { contextWindow: 5_000, maxOutput: 300 }, storage })
  const messages: ModelMessage[] = [
    { role: 'user', content: 'Set up the vault.' },
    { role: 'assistant', content: 'How do I get in?' },
    { role: 'user', content: `The password of the vault is ${secrets[0]}. Melde dich mit dem Passwort ${secrets[1]} an, the key ${secrets[2]} is for it.` },
  ]
  for (let turn = 0; turn < 30; turn++)
    messages.push(
      { role: 'assistant', content: `Part ${turn} is done.` },
      { role: 'user', content: `Go on with part ${turn + 1}. ${'It is long. '.repeat(100)}` },
    )
  await generateText({ model, messages, maxRetries: 0, providerOptions: { precis: { session: 'chat' } } })
  let stored = ''
  for await (const key of storage.list('')) stored += (await storage.get(key))?.body
  expect(stored).toContain('The password of the vault is [password:')
  for (const secret of secrets) expect(stored).not.toContain(secret)
})
