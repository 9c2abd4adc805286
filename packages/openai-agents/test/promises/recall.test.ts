import { Agent, type AgentInputItem, OpenAIProvider, Runner, setTracingDisabled } from '@openai/agents'
import type { CompactionReport } from '@precis/core'
import { type WithCompactionOptions, withCompaction } from '@precis/openai-agents'
import { recallModel, type StrictProvider, strictProvider } from '@precis/testkit'
import OpenAI from 'openai'
import { afterEach, describe, expect, it } from 'vitest'
import { namedQuestionOf, questionOf, readFileTool, vaultScenario, vaults } from '../vaults.ts'

setTracingDisabled(true)
const open: StrictProvider[] = []
afterEach(() => Promise.all(open.splice(0).map((provider) => provider.close())))

const window = 12_000
const limits = { contextWindow: window, maxOutput: 500 }
const tool = 'precis_recall'

interface Chat {
  readonly useResponses: boolean
  readonly store: boolean | undefined
  readonly stream: boolean
  /** Another process for every turn. */
  readonly renewed?: boolean
  /** Asks in the words of the files, of a model that looks nothing up. */
  readonly named?: boolean
}

/** A chat of one agent run and a question for each vault, as a host writes it: each turn brings the whole history. */
async function chat({ useResponses, store, stream, renewed = false, named = false }: Chat, options: WithCompactionOptions = {}) {
  const provider = await strictProvider({ window, model: recallModel(vaultScenario, { ...(!named && { looksUp: tool }), thinks: useResponses }) })
  open.push(provider)
  const reports: CompactionReport[] = []
  const make = () => {
    const client = new OpenAI({ apiKey: 'none', baseURL: provider.url, maxRetries: 0 })
    const inner = new OpenAIProvider({ openAIClient: client as never, useResponses })
    return new Runner({ modelProvider: withCompaction(inner, { limits, onReport: (report) => reports.push(report), ...options }) })
  }
  let runner = make()
  const agent = new Agent({ name: 'reader', model: 'strict', tools: [readFileTool], modelSettings: { maxTokens: 500, ...(store !== undefined && { store }) } })
  const usages: { inputTokens: number; entries: number[]; requests: number }[] = []
  const ask = async (input: AgentInputItem[]) => {
    if (renewed) runner = make()
    const result = stream ? await runner.run(agent, input, { maxTurns: 40, stream: true }) : await runner.run(agent, input, { maxTurns: 40 })
    if ('completed' in result) {
      for await (const _ of result) {
        // read to the end
      }
      await result.completed
    }
    const { usage } = result.runContext
    usages.push({ inputTokens: usage.inputTokens, requests: usage.requests, entries: (usage.requestUsageEntries ?? []).map((one) => one.inputTokens) })
    return { text: String(result.finalOutput), history: result.history, turns: result.rawResponses.length }
  }
  let { history, turns } = await ask([{ role: 'user', content: 'Read the file of each vault.' }])
  let right = 0
  const steps = [turns]
  for (const vault of vaults) {
    const answer = await ask([...history, { role: 'user', content: (named ? namedQuestionOf : questionOf)(vault) }])
    history = answer.history
    steps.push(answer.turns)
    if (answer.text.endsWith(vault.code)) right++
  }
  return { provider, reports, history, right, steps, usages }
}

const refused = ({ requests }: StrictProvider) => requests.filter(({ status }) => status !== 200).map(({ violations }) => violations[0]?.message ?? 'overflow')
const looks = ({ requests }: StrictProvider) =>
  requests.filter(({ prompt }) => prompt.at(-1)?.isResult === true && prompt.some(({ callIds }) => callIds.some((id) => id.startsWith('look_')))).length

const comesBack = 'Earlier passages that the next message may be about.'

describe.each([
  ['Chat Completions', false, undefined],
  ['Responses', true, true],
  ['Responses, not stored', true, false],
] as const)('%s: what left the context is looked up unseen', (_, useResponses, store) => {
  it.each([false, true])(
    'streamed: %s',
    async (stream) => {
      const bare = await chat({ useResponses, store, stream }, { recall: 'off' })
      const own = await chat({ useResponses, store, stream })
      expect(refused(own.provider)).toEqual([])
      expect(bare.right).toBeLessThan(vaults.length / 2)
      expect(own.right).toBe(vaults.length)
      expect(looks(own.provider)).toBeGreaterThan(vaults.length / 2)
      // Nothing of it is in the agent's loop, history or turns.
      expect(JSON.stringify(own.history)).not.toContain(tool)
      expect(own.steps).toEqual(bare.steps)
      expect(own.history.length).toBe(bare.history.length)
      // The bill is the run's usage, with one entry for each request.
      const billed = own.provider.requests.map(({ inputTokens }) => inputTokens)
      expect(own.usages.flatMap(({ entries }) => entries)).toEqual(billed)
      expect(own.usages.reduce((sum, { inputTokens }) => sum + inputTokens, 0)).toBe(billed.reduce((sum, one) => sum + one, 0))
      expect(own.usages.reduce((sum, { requests }) => sum + requests, 0)).toBe(billed.length)
      expect(own.reports.filter(({ recall }) => recall !== undefined).length).toBe(looks(own.provider))
    },
    60_000,
  )
  it.each([false, true])(
    'and what a message asks about comes back by itself, streamed: %s',
    async (stream) => {
      const asked = await chat({ useResponses, store, stream, named: true }, { recall: 'asked' })
      expect(asked.right).toBeLessThan(vaults.length / 2)
      const own = await chat({ useResponses, store, stream, named: true })
      expect(refused(own.provider)).toEqual([])
      expect(own.right).toBe(vaults.length)
      // No request more, nothing in the history.
      expect(own.provider.requests.length).toBe(own.steps.reduce((sum, turns) => sum + turns, 0))
      expect(JSON.stringify(own.history)).not.toContain(comesBack)
      const kept = own.provider.requests.map(({ prompt }) => prompt.filter(({ text }) => text.startsWith(comesBack)).length)
      expect(Math.max(...kept)).toBeGreaterThan(1)
      expect(own.reports.filter(({ recall }) => recall?.round === 0).length).toBeGreaterThan(vaults.length / 2)
    },
    60_000,
  )
  it('another process for every turn: nothing of a hidden round is refused', async () => {
    const { right, provider } = await chat({ useResponses, store, stream: false, renewed: true })
    expect(refused(provider)).toEqual([])
    expect(right).toBe(vaults.length)
  }, 60_000)
})
