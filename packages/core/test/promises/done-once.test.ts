import { createCompactor, type Message, neutralCodec } from '@precis/core'
import { assistant, type PromptEntry, step, ticketJob, user } from '@precis/testkit'
import { expect, it } from 'vitest'

/** What a model is shown, as a provider would hand it to one. */
const promptOf = (messages: readonly Message[]): readonly PromptEntry[] =>
  messages.map(({ role, parts }) => ({
    role,
    text: parts.map((part) => ('text' in part ? part.text : 'input' in part ? `${part.tool} ${part.input}` : 'output' in part ? part.output : '')).join('\n'),
    callIds: [],
    isResult: role === 'tool',
  }))

it.each([
  [8_000, undefined],
  [16_000, undefined],
  [32_000, undefined],
  [16_000, 'Please be kind to them. Go on.'],
])('in a window of %i no mail is sent twice, and no ticket left out, with %j in between', async (contextWindow, word) => {
  const job = ticketJob()
  const session = createCompactor({ codec: neutralCodec, limits: { contextWindow } }).session('s')
  const messages: Message[] = [user(job.request)]
  let compactions = 0
  for (let at = 0; at < 200; at++) {
    if (at === 30 && word !== undefined) messages.push(assistant('Half of it is done.'), user(word))
    const { messages: shown, report } = await session.beforeModelCall(messages, { overhead: { tools: 800 } })
    if (report.outcome === 'summarized') compactions++
    const [call] = job.model(promptOf(shown)).calls
    if (call === undefined) break
    const input = JSON.parse(call.input) as { readonly id: string }
    messages.push(...step(call.tool, call.id, input, job.call(call.tool, input.id)))
  }
  expect(job.done).toEqual(job.expected)
  expect(compactions).toBeGreaterThan(1)
})
