import { AIMessage, type BaseMessage } from '@langchain/core/messages'
import type { ChatResult } from '@langchain/core/outputs'
import { sumCounts } from '@precis/core/adapters'
import { readUsage } from '../usage.ts'
import { joined, withoutOurs } from './reply.ts'
import type { Turn } from './turn.ts'

/** Sends one request of a call; `withTool`: our tool stands in its list. */
export type Ask = (messages: BaseMessage[], withTool: boolean) => Promise<ChatResult>

/** All rounds of a call as one reply. `isObject`: words before a look-up are no part of it. */
export async function generate(turn: Turn, messages: readonly BaseMessage[], ask: Ask, isObject: boolean): Promise<ChatResult> {
  const before: AIMessage[] = []
  let bill: unknown
  for (;;) {
    const result = await turn.send(messages, ask)
    const [generation] = result.generations
    const reply = generation?.message
    if (generation === undefined || !AIMessage.isInstance(reply)) return result
    bill = sumCounts(bill, result.llmOutput)
    const next = await turn.settle(reply)
    const shown = turn.intercepts ? withoutOurs(reply) : reply
    if (next === 'again') {
      before.push(shown)
      continue
    }
    if (before.length === 0 && shown === reply) return result
    const message = before.length === 0 ? shown : joined(shown, before, { prompt: readUsage(reply), isObject })
    return { ...result, generations: [{ ...generation, text: message.text, message }], ...(result.llmOutput !== undefined && { llmOutput: bill as object }) }
  }
}
