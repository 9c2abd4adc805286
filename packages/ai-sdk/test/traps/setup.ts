import type { CompactionReport, PolicyOverrides } from '@precis/core'
import { freezeDeep } from '@precis/testkit'
import type { ModelMessage } from 'ai'
import { createCompaction } from '../../src/index.ts'
import { providers } from '../majors.ts'

// Traps of the SDK and of the providers behind it, each seen in a real version or a public thread; each has bitten somebody.

export const limits = { contextWindow: 8_000, maxOutput: 500 }
export const open = providers()
export const words = (count: number, seed = 'word'): string => Array.from({ length: count }, (_, at) => `${seed}${at % 89}`).join(' ')
export const user = (text: string): unknown => ({ role: 'user', content: text })
export const call = (id: string, more: object = {}, input: unknown = { path: id }): object => ({
  type: 'tool-call',
  toolCallId: id,
  toolName: 'read',
  input,
  ...more,
})
export const result = (id: string, text: string): object => ({ type: 'tool-result', toolCallId: id, toolName: 'read', output: { type: 'text', value: text } })
export const step = (id: string, text = words(300)): unknown[] => [
  { role: 'assistant', content: [call(id)] },
  { role: 'tool', content: [result(id, text)] },
]
export const steps = (count: number): unknown[] => Array.from({ length: count }, (_, at) => step(`s${at}`)).flat()

/** What a model would be sent for this history, by `prepareStep`. */
export async function sent(history: readonly unknown[], policy: PolicyOverrides = {}): Promise<{ messages: ModelMessage[]; report: CompactionReport }> {
  const reports: CompactionReport[] = []
  const compaction = createCompaction({ limits, policy, onReport: (report) => reports.push(report) })
  const messages = freezeDeep(history) as ModelMessage[]
  const own = (await compaction.prepareStep({ session: 's' })({ messages, steps: [] })) as { messages?: ModelMessage[] } | undefined
  return { messages: own?.messages ?? messages, report: reports[0] as CompactionReport }
}

export const partsOf = (messages: readonly ModelMessage[]) =>
  messages.flatMap((message) => (typeof message.content === 'string' ? [] : (message.content as unknown as Readonly<Record<string, unknown>>[])))
export const json = (value: unknown): string => JSON.stringify(value)
