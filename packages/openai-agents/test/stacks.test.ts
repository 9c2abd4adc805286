import { createCodec as createSdkCodec } from '@precis/ai-sdk'
import { createCompactor, type Message, type MessageCodec, memoryStorage, presets, type StorageDriver } from '@precis/core'
import { messageCodec } from '@precis/langchain'
import { assistant, history, step, user } from '@precis/testkit'
import { describe, expect, it } from 'vitest'
import { make as makeSdk } from '../../ai-sdk/test/make.ts'
import { make as makeLangChain } from '../../langchain/test/make.ts'
import { codec as agentsCodec, make as makeItem } from './make.ts'

interface Stack {
  readonly codec: MessageCodec<unknown>
  make(message: Message): unknown
}
const stacks: Readonly<Record<string, Stack>> = {
  'AI SDK': { codec: createSdkCodec<unknown>(), make: makeSdk },
  LangChain: { codec: messageCodec as MessageCodec<unknown>, make: makeLangChain as Stack['make'] },
  'OpenAI Agents': { codec: agentsCodec as MessageCodec<unknown>, make: makeItem },
}
const names = Object.keys(stacks)

/** A session in which every message has one part: what the three stacks cut in the same way. */
const conversation = (turns: number): readonly Message[] =>
  history(
    ...Array.from({ length: turns }, (_, turn) => [
      user(`Request ${turn}: look at module ${turn}. The ticket is PRE-${100 + turn}.`),
      ...step('read_file', `c${turn}`, { path: `src/m${turn}.ts` }, `export const value${turn} = load('m-${turn}')\n`.repeat(60)),
      assistant(`Module ${turn} loads lazily because start-up was slow.`),
    ]).flat(),
    user('Go on.'),
  )

const textOf = (codec: MessageCodec<unknown>, messages: readonly unknown[]): string =>
  messages
    .map((message) =>
      codec
        .read(message)
        .parts.map((part) => ('text' in part ? part.text : 'output' in part ? part.output : 'input' in part ? part.input : ''))
        .join('\n'),
    )
    .join('\n---\n')

const sessionIn = (name: string, storage: StorageDriver) =>
  createCompactor<unknown>({
    codec: (stacks[name] as Stack).codec,
    limits: { contextWindow: 12_000, maxOutput: 1_000 },
    policy: presets.layered,
    storage,
  }).session('moving')

describe('one policy, three stacks', () => {
  it('decides the same and shows the same', async () => {
    const shown = await Promise.all(
      names.map(async (name) => {
        const { codec, make } = stacks[name] as Stack
        const { messages, report } = await sessionIn(name, memoryStorage()).beforeModelCall(conversation(16).map(make))
        return {
          decision: report.plan.decision.reason,
          keep: report.plan.keep,
          summarize: report.plan.summarize,
          outcome: report.outcome,
          text: textOf(codec, messages),
        }
      }),
    )
    expect(shown[0]?.outcome).toBe('summarized')
    expect(shown[1]).toEqual(shown[0])
    expect(shown[2]).toEqual(shown[0])
    expect(shown[0]?.text).toContain('PRE-100')
  })

  it.each(names.flatMap((from) => names.filter((to) => to !== from).map((to) => [from, to] as const)))(
    'a session moves from %s to %s in the middle: its summary goes along',
    async (from, to) => {
      const storage = memoryStorage()
      const [first, second] = [stacks[from] as Stack, stacks[to] as Stack]
      const before = await sessionIn(from, storage).beforeModelCall(conversation(16).map(first.make))
      expect(before.report.outcome).toBe('summarized')
      const grown = [...conversation(16), assistant('Going on.'), user('And then?')]
      const after = await sessionIn(to, storage).beforeModelCall(grown.map(second.make))
      expect(after.report.outcome).toBe('projected')
      expect(textOf(second.codec, after.messages).startsWith(textOf(first.codec, before.messages))).toBe(true)
    },
  )
})
