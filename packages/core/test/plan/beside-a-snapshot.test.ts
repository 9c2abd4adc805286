import { createCompactor, type Message, neutralCodec } from '@precis/core'
import { expect, it } from 'vitest'

const people = ['Ada', 'Ben', 'Cleo', 'Dov', 'Eli', 'Fay', 'Gus', 'Hal', 'Ida']
const facts = people.map(
  (name, at) =>
    `${name} travels too, and wants a seat by the window of coach ${at + 3}, no later than the train at 1${at}:45; please keep that in mind for all offers.`,
)
const snapshot = (turn: number, links: number): string =>
  Array.from({ length: links }, (_, at) => `- link "Offer ${turn}-${at}" [ref=e${turn * 500 + at}] /deals`).join('\n')

it.each([190, 210, 230, 265])('what users said stays when each page that is read takes nearly all of a small window: %i links', async (links) => {
  const session = createCompactor({ codec: neutralCodec, limits: { contextWindow: 8_000 } }).session('s')
  const messages: Message[] = []
  for (let turn = 0; turn < 20; turn++) {
    messages.push({ role: 'user', parts: [{ type: 'text', text: facts[turn] ?? `Look at page ${turn} as well, please.` }] })
    for (const call of ['open', 'scroll']) {
      const callId = `${call}-${turn}`
      messages.push({ role: 'assistant', parts: [{ type: 'tool-call', callId, tool: call, input: `{"page":${turn}}` }] })
      messages.push({ role: 'tool', parts: [{ type: 'tool-result', callId, tool: call, output: snapshot(turn, links) }] })
      const { messages: shown, report } = await session.beforeModelCall(messages)
      const text = JSON.stringify(shown)
      expect(
        facts.slice(0, turn + 1).filter((fact) => !text.includes(fact)),
        `turn ${turn}, ${call}`,
      ).toEqual([])
      expect(report.tokens.after).toBeLessThan(8_000)
    }
    messages.push({ role: 'assistant', parts: [{ type: 'text', text: `Page ${turn} is read.` }] })
  }
})
