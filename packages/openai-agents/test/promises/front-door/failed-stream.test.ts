import { Agent, OpenAIProvider } from '@openai/agents'
import { memoryStorage } from '@precis/core'
import { withCompaction } from '@precis/openai-agents'
import type { StrictProvider } from '@precis/testkit'
import { afterEach, describe, expect, it } from 'vitest'
import { readFileTool, vaultScenario } from '../../vaults.ts'
import { clientOf, close, open, runnerOf, start } from './setup.ts'

afterEach(close)

describe('a response that fails in the stream', () => {
  /** A gateway that accepts every stream and says in it what is wrong. */
  const failing = (provider: StrictProvider, error: object) => ({
    fetch: async (url: string, init: { readonly body: string }) => {
      const response = await fetch(url, init)
      if (response.status !== 400) return response
      await response.arrayBuffer()
      const event = (type: string, data: object): string => `event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`
      const failed = { id: 'resp_x', object: 'response', status: 'failed', output: [], error, usage: null }
      const body = event('response.created', { response: { ...failed, status: 'in_progress', error: null } }) + event('response.failed', { response: failed })
      return new Response(body, { headers: { 'content-type': 'text/event-stream' } })
    },
    baseURL: provider.url,
  })
  const runWith = async (error: object) => {
    const provider = await start()
    const models = withCompaction(new OpenAIProvider({ openAIClient: clientOf(provider, failing(provider, error)), useResponses: true }), {
      storage: memoryStorage(),
    })
    const agent = new Agent({ name: 'reader', model: 'strict', tools: [readFileTool], modelSettings: { maxTokens: 500 } })
    const result = await runnerOf(models).run(agent, 'Read the file of each vault.', { maxTurns: 40, stream: true })
    await result.completed
    return result.finalOutput
  }
  it('for its size is sent again smaller', async () => {
    const error = { code: 'context_length_exceeded', message: 'Your input exceeds the context window of this model. Please adjust your input and try again.' }
    expect(await runWith(error)).toBe(vaultScenario.final)
    expect(open[0]?.requests.some(({ status }) => status === 400)).toBe(true)
  })
  it('for anything else is the SDK’s own error', async () => {
    await expect(runWith({ code: 'server_error', message: 'The server had an error.' })).rejects.toThrow(/unsuccessful terminal state "response.failed"/)
    expect(open[0]?.requests.filter(({ status }) => status === 400)).toHaveLength(1)
  })
})
