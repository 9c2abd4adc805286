import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { withCompaction } from '@precis/ai-sdk'
import { type StrictProvider, strictProvider } from '@precis/testkit'
import { generateText, type LanguageModel, type ModelMessage } from 'ai'
import { afterEach, expect, it } from 'vitest'

// A server is started anew with half of its window: same name, same place.

let provider: StrictProvider | undefined
afterEach(async () => {
  await provider?.close()
  provider = undefined
})

it('is refused twice in a conversation that had more, and not at all in a new one', async () => {
  const served = { window: 14_000, maxOutput: 500, model: () => ({ text: 'Noted.', calls: [] }) }
  provider = await strictProvider(served)
  const { requests, url } = provider
  const model = withCompaction(createOpenAICompatible({ name: 'ours', baseURL: url, apiKey: 'none' })('small') as never) as LanguageModel
  const talks = new Map<string, ModelMessage[]>()
  const turn = async (who: string, size = 60): Promise<void> => {
    const talk = talks.get(who) ?? []
    talk.push({ role: 'user', content: `${who}, ${talk.length}: ${`What does ${who} need in week ${talk.length}? `.repeat(size)}` })
    const { responseMessages } = await generateText({ model, messages: talk, maxRetries: 0 })
    talks.set(who, [...talk, ...responseMessages])
  }
  const refused = (): number => requests.filter(({ status }) => status !== 200).length
  for (let at = 0; at < 30; at++) for (const who of ['Anna', 'Bert']) await turn(who)
  const before = refused()
  served.window = 7_000
  for (let at = 0; at < 40; at++) await turn('Anna')
  expect(refused() - before).toBe(2)
  // One that has not met the new window goes on, and what it knows of the old one is not passed on.
  await turn('Bert', 1)
  const known = refused()
  for (let at = 0; at < 30; at++) await turn('Dora')
  expect(refused()).toBe(known)
})
