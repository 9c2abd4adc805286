import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { withCompaction } from '@precis/ai-sdk'
import { createArchive, createCompactor, neutralCodec, type StorageDriver } from '@precis/core'
import { generateText, type ModelMessage } from 'ai'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { fsStorage } from '../../../storage-fs/src/index.ts'
import { providers, sdkOf } from '../majors.ts'

// A server runs on while a script deletes the conversation of a user, who then begins another one in the same thread.

const open = providers()
const limits = { contextWindow: 8_000, maxOutput: 500 }
let root = ''
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'precis-deleted-'))
})
afterEach(async () => {
  await open.close()
  await rm(root, { recursive: true, force: true })
})

/** A server with a model of its own, and what its receipts say. */
async function server(name: string, archive?: ReturnType<typeof createArchive>) {
  const { modelAt } = await sdkOf('AI SDK 7')
  const provider = await open.start({ window: 8_000, maxOutput: 500, model: () => ({ text: `ok ${'word '.repeat(60)}`, calls: [] }) })
  const said: string[] = []
  const model = withCompaction(modelAt('openai', provider.url) as never, {
    limits,
    storage: fsStorage({ root }),
    ...(archive && { archive: archive as never }),
    // Servers of one process that are given the same options share what they know.
    policy: { summary: { directives: [name] } },
    onReport: ({ outcome, warnings }) => void said.push(outcome, ...warnings),
  })
  const talk = async (messages: ModelMessage[], word: string, turns: number): Promise<void> => {
    for (let at = 0; at < turns; at++) {
      messages.push({ role: 'user', content: `${word} ${at}: the owner of ${word}${at} is Person${at}. ${'lorem ipsum dolor '.repeat(60)}` })
      const { text } = await generateText({ model, messages, providerOptions: { precis: { session: 'c' } }, maxOutputTokens: 500 })
      messages.push({ role: 'assistant', content: text })
    }
  }
  return { said, talk }
}
async function stored(storage: StorageDriver, word: string): Promise<boolean> {
  for await (const key of storage.list('')) if ((await storage.get(key))?.body.includes(word) === true) return true
  return false
}

it.each([false, true])('the new conversation is stored, with an archive: %s', async (archived) => {
  const storage = fsStorage({ root })
  const archive = createArchive(storage)
  const { said, talk } = await server('first', archived ? archive : undefined)
  await talk([], 'alpha', 40)
  expect(await stored(storage, 'alpha')).toBe(true)
  await createCompactor({ codec: neutralCodec, storage, ...(archived && { archive: archive as never }) }).forget('c')
  expect(await stored(storage, 'alpha')).toBe(false)
  await new Promise((resolve) => setTimeout(resolve, 5))
  const messages: ModelMessage[] = []
  await talk(messages, 'beta', 40)
  expect(said.join()).not.toContain('this conversation was deleted')
  expect(await stored(storage, 'alpha')).toBe(false)
  if (archived) expect(JSON.stringify((await archive.read('c')).messages)).toContain('the owner of beta0')
  const next = await server('next')
  await next.talk(messages, 'gamma', 1)
  expect(next.said[0]).toBe('projected')
})
