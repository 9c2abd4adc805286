import type { CompactionReport } from '@precis/core'
import { memoryStorage } from '@precis/core'
import { convertToModelMessages, isStepCount, streamText, type UIMessage } from 'ai'
import { afterEach, describe, expect, it } from 'vitest'
import { createCompaction } from '../src/index.ts'
import { firstRequest, type Setup, scenario, setUp, tools } from './scenario.ts'

const window = 12_000
const limits = { contextWindow: window, maxOutput: 500 }
let open: Setup | undefined
afterEach(async () => {
  await open?.provider.close()
  open = undefined
})

/** A chat route: loads UIMessages, answers, stores them. Nothing but the chat's id ties two requests together; each may be served by another process. */
async function post(
  setup: Setup,
  chat: { messages: UIMessage[] },
  text: string,
  options: { readonly storage: ReturnType<typeof memoryStorage>; readonly onReport: (report: CompactionReport) => void },
) {
  const compaction = createCompaction({ limits, ...options })
  const messages: UIMessage[] = [...chat.messages, { id: `u${chat.messages.length}`, role: 'user', parts: [{ type: 'text', text }] }]
  const result = streamText({
    model: setup.model,
    tools,
    messages: await convertToModelMessages(messages),
    prepareStep: compaction.prepareStep({ session: 'chat-1', tools }),
    stopWhen: isStepCount(100),
    maxOutputTokens: 500,
    maxRetries: 0,
  })
  const stream = result.toUIMessageStream({
    originalMessages: messages,
    onFinish: (finished) => {
      chat.messages = finished.messages
    },
  })
  for await (const _ of stream) {
    // the client reads it
  }
  // What a database gives back is JSON.
  chat.messages = JSON.parse(JSON.stringify(chat.messages)) as UIMessage[]
  return result.text
}

describe('a chat server that stores UIMessages', () => {
  it('answers over many windows; stored messages stay whole; another process finds the summary in the storage', async () => {
    open = await setUp('openai', { window })
    const chat: { messages: UIMessage[] } = { messages: [] }
    const reports: CompactionReport[] = []
    const options = { storage: memoryStorage(), onReport: (report: CompactionReport) => void reports.push(report) }
    expect(await post(open, chat, firstRequest, options)).toBe(scenario.final)
    expect(reports.filter((report) => report.outcome === 'summarized').length).toBeGreaterThan(2)
    const seen = reports.length
    expect(await post(open, chat, 'For which ticket is this?', options)).toBe('PRE-205')
    expect(await post(open, chat, 'What was the exact error?', options)).toBe('E4711: ledger checksum mismatch in shard kappa-9')
    // Recognized by content: converted anew, in another process, and not summarized again.
    expect(reports.slice(seen).map((report) => report.outcome)).toEqual(['projected', 'projected'])
    expect(chat.messages).toHaveLength(6)
    expect(JSON.stringify(chat.messages)).toContain('// src/module-7.ts')
    expect(open.provider.requests.filter((request) => request.status !== 200)).toEqual([])
  })
})
