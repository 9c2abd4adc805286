import { Agent, MemorySession, OpenAIProvider, Runner, setTracingDisabled } from '@openai/agents'
import { memoryStorage } from '@precis/core'
import { compactionFilter, compactionSession, withCompaction } from '@precis/openai-agents'
import { recallModel, type StrictProvider, strictProvider } from '@precis/testkit'
import OpenAI from 'openai'
import { afterEach, describe, expect, it } from 'vitest'
import { questionOf, readFileTool, vaultScenario, vaults } from '../vaults.ts'

setTracingDisabled(true)
const open: StrictProvider[] = []
afterEach(() => Promise.all(open.splice(0).map((provider) => provider.close())))
const limits = { contextWindow: 12_000, maxOutput: 500 }
const agent = new Agent({ name: 'reader', model: 'strict', tools: [readFileTool], modelSettings: { maxTokens: 500 } })
const asked = vaults.slice(0, 8)
let chats = 0

/** Reads all files in a process of the model’s alone, then is asked for them in one with these layers, for each question anew if `each`. */
const ask = async (layers: { view?: boolean; filter?: boolean; force?: boolean; each?: boolean }) => {
  const provider = await strictProvider({ window: 12_000, model: recallModel(vaultScenario, { looksUp: 'precis_recall' }) })
  open.push(provider)
  const inner = new OpenAIProvider({ openAIClient: new OpenAI({ apiKey: 'none', baseURL: provider.url, maxRetries: 0 }) as never, useResponses: false })
  const storage = memoryStorage()
  const session = `vaults-${++chats}`
  const options = { limits, storage }
  const store = new MemorySession({ sessionId: session })
  const process = () => {
    const filter = layers.filter === true ? { callModelInputFilter: compactionFilter({ ...options, session }) } : {}
    const runner = new Runner({ modelProvider: withCompaction(inner, { ...options, session }) as never, ...filter })
    const view = layers.view === true ? compactionSession(store, options) : undefined
    return { view, say: async (text: string) => (await runner.run(agent, text, { session: view ?? store, maxTurns: 40 })).finalOutput }
  }
  const before = new Runner({ modelProvider: withCompaction(inner, { ...options, session }) as never })
  expect((await before.run(agent, 'Read the file of each vault.', { session: store, maxTurns: 40 })).finalOutput).toBe(vaultScenario.final)
  let now = process()
  if (layers.force === true) await now.view?.runCompaction({ force: true })
  const answers: unknown[] = []
  for (const vault of asked) {
    if (layers.each === true) now = process()
    answers.push(await now.say(questionOf(vault)))
  }
  expect(provider.requests.filter(({ status }) => status !== 200)).toEqual([])
  return answers
}

describe('layers of one name and one storage, in a process that finds what another stored', () => {
  it.each([
    ['model alone', {}],
    ['view and model', { view: true }],
    ['view and model, compacted between runs', { view: true, force: true }],
    ['filter and model', { filter: true }],
    ['filter and model, a process for each run', { filter: true, each: true }],
    ['view, filter and model', { view: true, filter: true }],
    ['view, filter and model, a process for each run', { view: true, filter: true, each: true }],
  ])('%s: all is found', async (_, layers) => {
    expect(await ask(layers)).toEqual(asked.map(({ code }) => code))
  })
})
