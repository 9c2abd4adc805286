import { type WithCompactionOptions, withCompaction } from '@precis/ai-sdk'
import type { CompactionReport } from '@precis/core'
import { recallModel, type StrictProvider, type StrictProviderOptions } from '@precis/testkit'
import type { ModelMessage } from 'ai'
import { afterEach, describe, expect, it } from 'vitest'
import { majors, providers, sdkOf, type Wire } from '../majors.ts'
import { namedQuestionOf, questionOf, vaultScenario, vaults, vaultText } from '../vaults.ts'

const strict = providers()
afterEach(() => {
  delete process.env['PRECIS_RECALL']
  return strict.close()
})

const limits = { contextWindow: 12_000, maxOutput: 500 }
const first = 'Read the file of each vault.'
const tool = 'precis_recall'

interface Result {
  readonly text: string
  readonly steps: readonly { readonly usage: unknown; readonly providerMetadata?: unknown }[]
  readonly messages: readonly ModelMessage[]
}

/** A chat of one agent run and a question for each vault, as a host writes it: each turn brings the whole history. */
async function chat(
  major: string,
  wire: Wire,
  mode: 'generate' | 'stream',
  more: { options?: WithCompactionOptions; provider?: Partial<StrictProviderOptions>; thinks?: boolean; call?: object } = {},
) {
  const { generateText, streamText, modelAt, jsonSchema, stopWhen } = await sdkOf(major)
  const provider: StrictProvider = await strict.start({
    window: 12_000,
    model: recallModel(vaultScenario, { looksUp: tool, thinks: more.thinks === true }),
    ...more.provider,
  })
  const reports: CompactionReport[] = []
  const model = withCompaction(modelAt(wire, provider.url) as never, { limits, onReport: (report) => reports.push(report), ...more.options })
  const tools = {
    read_file: {
      description: 'Reads a file of the project.',
      inputSchema: jsonSchema({ type: 'object', properties: { path: { type: 'string' } }, required: ['path'] }),
      execute: async ({ path }: { readonly path: string }): Promise<string> => vaultText(path),
    },
  }
  const thinking = more.thinks === true ? { providerOptions: { anthropic: { thinking: { type: 'enabled', budgetTokens: 1_024 } } } } : {}
  const call = { model, tools, stopWhen, maxRetries: 0, maxOutputTokens: 500, ...thinking, ...more.call }
  const turn = async (messages: readonly ModelMessage[]): Promise<Result> => {
    if (mode === 'generate') {
      const result = (await generateText({ ...call, messages })) as unknown as Result & {
        responseMessages?: readonly ModelMessage[]
        response: { messages: readonly ModelMessage[] }
      }
      return { text: result.text, steps: result.steps, messages: result.responseMessages ?? result.response.messages }
    }
    let error: unknown
    const result = streamText({
      ...call,
      messages,
      onError: (event: { error: unknown }) => {
        error = event.error
      },
    }) as unknown as {
      text: Promise<string>
      steps: Promise<Result['steps']>
      response: Promise<{ messages: readonly ModelMessage[] }>
      responseMessages?: Promise<readonly ModelMessage[]>
      consumeStream(): Promise<void>
    }
    await result.consumeStream()
    if (error !== undefined) throw error
    return { text: await result.text, steps: await result.steps, messages: (await result.responseMessages) ?? (await result.response).messages }
  }
  const history: ModelMessage[] = [{ role: 'user', content: first }]
  const results: Result[] = []
  const ask = async (content?: string): Promise<Result> => {
    if (content !== undefined) history.push({ role: 'user', content })
    const result = await turn(history)
    history.push(...result.messages)
    results.push(result)
    return result
  }
  await ask()
  return { provider, reports, history, results, ask, tools }
}

const answersOf = async ({ ask }: { readonly ask: (content: string) => Promise<Result> }, asking = questionOf) => {
  let right = 0
  for (const vault of vaults) if ((await ask(asking(vault))).text.endsWith(vault.code)) right++
  return right
}
const looks = ({ requests }: StrictProvider) =>
  requests.filter(({ prompt }) => prompt.at(-1)?.isResult === true && prompt.some(({ callIds }) => callIds.some((id) => id.startsWith('look_')))).length
const refused = ({ requests }: StrictProvider) => requests.filter(({ status }) => status !== 200).map(({ violations }) => violations[0]?.message ?? 'overflow')
const promptOf = (usage: unknown): number => {
  const { inputTokens } = usage as { inputTokens?: number | { total: number } }
  return typeof inputTokens === 'object' ? inputTokens.total : (inputTokens ?? 0)
}

describe.each(majors)('%s: what left the context is looked up unseen', (major) => {
  it.each<readonly [Wire, 'generate' | 'stream']>([
    ['openai', 'generate'],
    ['openai', 'stream'],
    ['openai-responses', 'generate'],
    ['openai-responses', 'stream'],
    ['anthropic', 'generate'],
    ['anthropic', 'stream'],
  ])('%s, %s', async (wire, mode) => {
    const bare = await chat(major, wire, mode, { options: { recall: 'off' } })
    const before = await answersOf(bare)
    const own = await chat(major, wire, mode, { thinks: wire !== 'openai' })
    const right = await answersOf(own)
    expect(refused(own.provider)).toEqual([])
    expect(before).toBeLessThan(vaults.length / 2)
    expect(right).toBe(vaults.length)
    expect(looks(own.provider)).toBeGreaterThanOrEqual(vaults.length / 2)
    // Nothing of it is in the agent's loop, history or step count.
    expect(JSON.stringify(own.history)).not.toContain(tool)
    expect(own.results.map(({ steps }) => steps.length)).toEqual(bare.results.map(({ steps }) => steps.length))
    expect(own.history.length).toBe(bare.history.length)
    // The bill is the framework's usage; the last prompt stands beside it.
    const billed = own.provider.requests.reduce((sum, { inputTokens }) => sum + inputTokens, 0)
    const counted = own.results
      .flatMap(({ steps }) => steps)
      .reduce((sum, { usage, providerMetadata }) => {
        const anthropic = (providerMetadata as { anthropic?: { cacheCreationInputTokens?: number } } | undefined)?.anthropic
        const { cachedInputTokens = 0 } = usage as { cachedInputTokens?: number }
        return sum + promptOf(usage) + (major === 'AI SDK 5' && anthropic !== undefined ? cachedInputTokens : 0)
      }, 0)
    expect(counted).toBe(billed)
    const looked = own.results
      .flatMap(({ steps }) => steps)
      .filter(({ providerMetadata }) => (providerMetadata as { precis?: object } | undefined)?.precis !== undefined)
    expect(looked.length).toBe(looks(own.provider))
    for (const { providerMetadata } of looked) {
      const { precis } = providerMetadata as { precis: { lookUps: number; prompt: { input: number; cacheRead: number; cacheWrite: number } } }
      const last = precis.prompt.input + precis.prompt.cacheRead + precis.prompt.cacheWrite
      expect(own.provider.requests.some(({ inputTokens }) => inputTokens === last)).toBe(true)
    }
    expect(own.reports.filter(({ recall }) => recall !== undefined).length).toBe(looks(own.provider))
  })
})

const comesBack = 'Earlier passages that the next message may be about.'

describe.each(majors)('%s: what a message asks about comes back by itself', (major) => {
  const looksNothingUp = { model: recallModel(vaultScenario) }
  it.each<readonly [Wire, 'generate' | 'stream']>([
    ['openai', 'generate'],
    ['openai-responses', 'stream'],
    ['anthropic', 'generate'],
    ['anthropic', 'stream'],
  ])('%s, %s, to a model that looks nothing up', async (wire, mode) => {
    const asked = await chat(major, wire, mode, { options: { recall: 'asked' }, provider: looksNothingUp })
    expect(await answersOf(asked, namedQuestionOf)).toBeLessThan(vaults.length / 2)
    const own = await chat(major, wire, mode, { provider: looksNothingUp })
    expect(await answersOf(own, namedQuestionOf)).toBe(vaults.length)
    expect(refused(own.provider)).toEqual([])
    // No request more, nothing in the agent's history or step count.
    expect(own.provider.requests.length).toBe(own.results.reduce((sum, { steps }) => sum + steps.length, 0))
    expect(JSON.stringify(own.history)).not.toContain(comesBack)
    // It stands before its question, stays until the next compaction, and the receipt says so.
    const followers = own.provider.requests.map(({ prompt }) => prompt.flatMap(({ text }, at) => (text.startsWith(comesBack) ? [prompt[at + 1]?.text] : [])))
    expect(Math.max(...followers.map(({ length }) => length))).toBeGreaterThan(1)
    for (const text of followers.flat()) expect(text).toMatch(/^Which code opens/)
    expect(own.reports.filter(({ recall }) => recall?.round === 0).length).toBeGreaterThan(vaults.length / 2)
  })
  it('in a chat without tools, where no look-up can be offered', async () => {
    const { generateText, modelAt } = await sdkOf(major)
    const provider = await strict.start({ window: 12_000, ...looksNothingUp })
    const model = withCompaction(modelAt('openai', provider.url) as never, { limits })
    const messages: ModelMessage[] = vaults.flatMap(({ path }): ModelMessage[] => [
      { role: 'user', content: `Keep ${path} in mind:\n${vaultText(path)}` },
      { role: 'assistant', content: 'Noted.' },
    ])
    let right = 0
    for (const vault of vaults) {
      messages.push({ role: 'user', content: namedQuestionOf(vault) })
      const { text } = await generateText({ model, messages, maxRetries: 0, maxOutputTokens: 500 } as never)
      messages.push({ role: 'assistant', content: text })
      if (text.endsWith(vault.code)) right++
    }
    expect(right).toBe(vaults.length)
    expect(refused(provider)).toEqual([])
  })
})
