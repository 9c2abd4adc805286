import { CompactionError, presets } from '@precis/core'
import { generateHistory, toAnthropic, toGemini, toOpenAIChat, toOpenAIResponses } from '@precis/testkit'
import { expect, it } from 'vitest'
import {
  compactTranscript,
  continueTranscript,
  diffTranscript,
  inspect,
  parseTranscripts,
  renderDiff,
  renderInspection,
  TranscriptError,
} from '../src/index.ts'
import { watched } from '../src/look/watched.ts'
import { mutated } from './mutated.ts'

const lines = (values: readonly unknown[]): string => values.map((value) => JSON.stringify(value)).join('\n')
const history = generateHistory(3, { turns: 6 })
const usage = { input_tokens: 9, output_tokens: 1 }
const logs: readonly string[] = [
  lines(history),
  lines(toOpenAIChat(history)),
  lines(
    toAnthropic(history).map((message, at) => ({
      type: message.role,
      uuid: `u${at}`,
      message: { ...message, model: 'claude-sonnet-4-5', id: `m${at}`, usage },
    })),
  ),
  lines([{ type: 'session_meta', payload: {} }, ...toOpenAIResponses(history).map((payload) => ({ type: 'response_item', payload }))]),
  JSON.stringify({ contents: toGemini(history) }),
  lines(
    toOpenAIChat(history).map(({ role, content }, at) => ({
      info: { role, tokens: { input: at, output: 1, cache: { read: 1 } } },
      parts: [{ type: 'text', text: String(content) }],
    })),
  ),
  lines([
    { type: 'message', message: { role: 'user', content: 'go' } },
    {
      type: 'message',
      message: {
        role: 'assistant',
        model: 'm',
        usage: { input: 1, output: 1 },
        content: [{ type: 'toolCall', id: 'a', name: 'bash', arguments: { command: 'npm test' } }],
      },
    },
    { type: 'message', message: { role: 'toolResult', toolCallId: 'a', toolName: 'bash', content: [{ type: 'text', text: 'ok' }] } },
  ]),
  JSON.stringify({
    messages: [
      { role: 'user', content: 'a' },
      { role: 'assistant', content: '', toolCalls: [{ id: '1', name: 't', arguments: {} }] },
      { role: 'tool', content: 'r', toolCallId: '1' },
    ],
  }),
  lines([
    { type: 'human', data: { content: 'a' } },
    { type: 'ai', data: { content: 'b', tool_calls: [{ id: '1', name: 't', args: { path: 'x' } }] } },
    { type: 'tool', data: { content: 'c', tool_call_id: '1', name: 't' } },
  ]),
]
/** `PRECIS_MUTATIONS=1200` for the long look. */
const rounds = Number(process.env['PRECIS_MUTATIONS'] ?? 180)

it(`${rounds} mutated logs: a clear message or a result, never another error`, async () => {
  for (let seed = 1; seed <= rounds; seed++) {
    const text = mutated(logs[seed % logs.length] ?? '', seed)
    try {
      for (const transcript of parseTranscripts(text, 'file')) {
        renderInspection(inspect(transcript), undefined, 80)
        watched(transcript, { window: 8_000, policy: presets.balanced })
        renderDiff(diffTranscript(transcript, await compactTranscript(transcript, { window: 8_000 })), { width: 160 })
        await continueTranscript(transcript, { window: 8_000 })
      }
    } catch (error) {
      if (error instanceof TranscriptError || CompactionError.isInstance(error)) expect((error as Error).message).toMatch(/file|message|limit|window/)
      else throw new Error(`seed ${seed}: ${(error as Error).stack}`)
    }
  }
})
