import { type CompactionReport, createCompactor, type PolicyOverrides } from '@precis/core'
import { freezeDeep } from '@precis/testkit'
import { type WireName, type WireRequest, wires } from '../../src/index.ts'

const lists: Readonly<Record<WireName, string>> = { 'openai-chat': 'messages', 'openai-responses': 'input', anthropic: 'messages', gemini: 'contents' }

export function request(name: WireName, values: readonly unknown[]): WireRequest {
  const reading = wires[name].readRequest(freezeDeep({ [lists[name]]: values }))
  if (!reading.ok) throw new Error(JSON.stringify(reading.problem))
  return reading.request
}

interface Sent {
  readonly values: readonly unknown[]
  readonly report: CompactionReport
}

/** What goes out for a request, and the report of it. */
export async function send(name: WireName, values: readonly unknown[], contextWindow = 1_000_000, policy: PolicyOverrides = {}): Promise<Sent> {
  const given = request(name, values)
  const { codec, writeRequest } = wires[name]
  const session = createCompactor({ codec, limits: { contextWindow, maxOutput: 100 }, policy }).session('sent')
  const { messages, report } = await session.beforeModelCall(given.messages)
  return { values: writeRequest(given, { messages })[lists[name]] as readonly unknown[], report }
}

/** Tokens of one value, as planning counts them. */
export const tokensOf = async (name: WireName, ...values: readonly unknown[]): Promise<number> => (await send(name, values)).report.tokens.before

export const words = (count: number): string => Array.from({ length: count }, (_, at) => `word${at % 89}`).join(' ')
/** Base64 of a picture. */
export const picture = `iVBORw0KGgo${'A1b2C3d4'.repeat(50_000)}`
