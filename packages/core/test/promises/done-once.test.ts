import { createCompactor, type Message, neutralCodec } from '@precis/core'
import { assistant, step, user } from '@precis/testkit'
import { expect, it } from 'vitest'

const ids = Array.from({ length: 24 }, (_, at) => `T-${1_000 + at * 37}`)
const ticket = (id: string): string =>
  Array.from({ length: 60 }, (_, at) => `${id}, note ${at}: the parcel ${at * 7} was seen at depot ${at % 5}, and nobody signed.`).join('\n')

/** All that a model is shown: a line for each line of a text, and for each call. */
const linesOf = (messages: readonly Message[]): readonly string[] =>
  messages.flatMap(({ parts }) => parts.flatMap((part) => ('text' in part ? part.text.split('\n') : 'input' in part ? `${part.tool} ${part.input}` : [])))

/** An agent that knows what it did by what it is shown: it reads a ticket, sends one mail and closes the ticket, one ticket after another. */
function nextCall(shown: readonly Message[]): readonly [tool: string, id: string] | undefined {
  const lines = linesOf(shown)
  const did = (tool: string, id: string): boolean => lines.some((line) => new RegExp(`^(?:- )?${tool}\\b.*${id}\\b`).test(line))
  const open = ids.find((id) => !did('close_ticket', id))
  if (open === undefined) return undefined
  const read = shown.some(({ parts }) => parts.some((part) => part.type === 'tool-result' && part.output.startsWith(`${open}, note`)))
  return [did('send_mail', open) ? 'close_ticket' : read ? 'send_mail' : 'read_ticket', open]
}

it.each([
  [8_000, undefined],
  [16_000, undefined],
  [32_000, undefined],
  [16_000, 'Please be kind to them. Go on.'],
])('in a window of %i no mail is sent twice, and no ticket left out, with %j in between', async (contextWindow, word) => {
  const session = createCompactor({ codec: neutralCodec, limits: { contextWindow } }).session('s')
  const messages: Message[] = [user(`Read each ticket, send its customer one mail and close it: ${ids.join(', ')}.`)]
  const done: string[] = []
  let compactions = 0
  for (let at = 0; at < 200; at++) {
    if (at === 30 && word !== undefined) messages.push(assistant('Half of it is done.'), user(word))
    const { messages: shown, report } = await session.beforeModelCall(messages, { overhead: { tools: 800 } })
    if (report.outcome === 'summarized') compactions++
    const [tool, id] = nextCall(shown) ?? []
    if (tool === undefined || id === undefined) break
    if (tool !== 'read_ticket') done.push(`${tool} ${id}`)
    const input = tool === 'send_mail' ? { to: `${id}@example.com`, body: 'Your parcel is late, and we are looking into it.' } : { id }
    messages.push(...step(tool, `c${at}`, input, tool === 'read_ticket' ? ticket(id) : 'Done.'))
  }
  expect(done).toEqual(ids.flatMap((id) => [`send_mail ${id}`, `close_ticket ${id}`]))
  expect(compactions).toBeGreaterThan(1)
})
