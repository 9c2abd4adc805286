import { AIMessage, type BaseMessage, ToolMessage } from '@langchain/core/messages'
import { tool } from 'langchain'
import { z } from 'zod'
import { Recorder } from '../../bench/histories.ts'

// Traps of LangChain, LangGraph and the built-in ways of keeping a history small, each seen in a real version or a public thread.

export const limits = { contextWindow: 6_000, maxInput: 6_000 }
export const words = (count: number, seed = 'word'): string => Array.from({ length: count }, (_, at) => `${seed}${at % 89}`).join(' ')
const call = (id: string, args: Record<string, unknown> = {}): AIMessage => new AIMessage({ content: '', tool_calls: [{ id, name: 'read', args }] })
export const answer = (id: string, text: string): ToolMessage => new ToolMessage({ content: text, tool_call_id: id, name: 'read' })
export const steps = (count: number, tokens = 300, seed = 'c'): BaseMessage[] =>
  Array.from({ length: count }, (_, at) => [call(`${seed}${at}`), answer(`${seed}${at}`, words(tokens))]).flat()
export const changes = (outputs: [string, string][] = [], inputs: [string, string][] = []) => ({
  outputs: new Map(outputs.map(([id, text]) => [id, { text, keepAttachments: false }])),
  inputs: new Map(inputs),
})
export const closing: (() => Promise<void>)[] = []

export const closeAll = async (): Promise<void> => {
  for (const close of closing.splice(0)) await close()
}

/** A model that calls a tool so many times, then answers; remembers what it was sent. */
export class Caller extends Recorder {
  readonly steps: number
  constructor(calls: number, answer = 'done') {
    super(answer)
    this.steps = calls
  }
  override async _generate(...[messages]: Parameters<Recorder['_generate']>): ReturnType<Recorder['_generate']> {
    this.seen.push(messages)
    const at = this.seen.length - 1
    const message = at < this.steps ? call(`call${at}`, { path: `f${at}` }) : new AIMessage(this.answer)
    return { generations: [{ text: message.text, message }] }
  }
}

/** A model that says how much it can read. */
export class Profiled extends Recorder {
  override get profile() {
    return { maxInputTokens: 6_000 }
  }
}

export const read = tool(({ path }: { path: string }) => `${path} ${words(300)}`, {
  name: 'read',
  description: 'Reads.',
  schema: z.object({ path: z.string() }),
})
export const invoke = async (agent: unknown, messages: BaseMessage[], thread?: string) =>
  (agent as { invoke(input: unknown, config: unknown): Promise<{ messages: BaseMessage[] }> }).invoke(
    { messages },
    { recursionLimit: 200, ...(thread !== undefined && { configurable: { thread_id: thread } }) },
  )
