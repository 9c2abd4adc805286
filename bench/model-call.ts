// What a model call costs that needs no compaction, through the door of the AI SDK: every message object is new, as the SDK makes them for each step.
// Times are for a machine on which the reference loop takes 100 ms: it runs before each call. `--gate` fails where one is half over its bar, twice in a row.

import { withCompaction } from '@precis/ai-sdk'
import { type Message, memoryStorage, type StorageDriver } from '@precis/core'
import { generateHistory } from '@precis/testkit'
import { type ModelMessage, pruneMessages } from 'ai'
import { MockLanguageModelV4 } from 'ai/test'
import { reference } from './reference.ts'

const window = 100_000_000

/** A model that answers at once, and forgets what it was asked. */
function instant(): MockLanguageModelV4 {
  const usage = {
    inputTokens: { total: undefined, noCache: undefined, cacheRead: undefined, cacheWrite: undefined },
    outputTokens: { total: undefined, text: undefined, reasoning: undefined },
  }
  const model: MockLanguageModelV4 = new MockLanguageModelV4({
    doGenerate: async () => {
      model.doGenerateCalls.length = 0
      return { content: [{ type: 'text', text: 'ok' }], finishReason: { unified: 'stop', raw: 'stop' }, usage, warnings: [] }
    },
  })
  return model
}

/** A history as a prompt of the SDK: all objects new, all strings the same. */
function promptOf(messages: readonly Message[]): ModelMessage[] {
  return messages.map(({ role, parts }) => ({
    role,
    content: parts.map((part) => {
      if (part.type === 'tool-call') return { type: 'tool-call', toolCallId: part.callId, toolName: part.tool, input: { line: part.input } }
      if (part.type === 'tool-result')
        return { type: 'tool-result', toolCallId: part.callId, toolName: part.tool, output: { type: 'text', value: part.output } }
      return { type: 'text', text: 'text' in part ? part.text : `(${part.type})` }
    }),
  })) as ModelMessage[]
}

/** A history of so many messages that ends with a tool's results. */
function historyOf(count: number): readonly Message[] {
  const messages: Message[] = []
  for (let seed = 1; messages.length < count + 100; seed++) messages.push(...generateHistory(seed, { turns: 40, steps: 5, output: 9_000 }))
  let end = count
  while (messages[end - 1]?.role !== 'tool' || messages[end]?.role === 'tool') end++
  // Generated outputs are cut anywhere, in the middle of a character too: no provider is sent half of one.
  const whole = (_: string, value: unknown): unknown => (typeof value === 'string' ? Buffer.from(value).toString() : value)
  return JSON.parse(JSON.stringify(messages.slice(0, end)), whole)
}

interface Generating {
  doGenerate(options: never): PromiseLike<unknown>
}
const ask = (model: Generating, prompt: ModelMessage[]): PromiseLike<unknown> => model.doGenerate({ prompt } as never)
const compacted = (contextWindow: number, storage: StorageDriver = memoryStorage()): Generating =>
  withCompaction(instant(), { limits: { contextWindow, maxOutput: 1_000 }, storage })
const pause = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds))
const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN

/**
 * Milliseconds of one call: the median of many, the first quarter not counted, each beside its own reference loop.
 * @param thinking - Milliseconds after each call in which the model would work, on the same machine as the times: near its window a conversation is
 *   read ahead then, and one that is still being read when the next call begins would be counted in its time.
 */
async function timed(rounds: number, prepare: () => () => unknown, thinking = 5): Promise<number> {
  const times: number[] = []
  for (let round = 0; round < rounds; round++) {
    const call = prepare()
    const loop = reference()
    const start = performance.now()
    await call()
    times.push(((performance.now() - start) * 100) / loop)
    await pause((thinking * loop) / 100)
  }
  return median(times.slice(rounds >> 2))
}

/** Share of an agent's time, in percent, that is ours: 2,000 messages in a window of 64k, compactions included, beside a model that takes 200 ms. */
async function overhead(messages: readonly Message[]): Promise<number> {
  const model = compacted(64_000)
  const loop = reference()
  let [spent, calls] = [0, 0]
  for (const [at, { role }] of messages.entries()) {
    if (role !== 'assistant' || at === 0) continue
    const prompt = promptOf(messages.slice(0, at))
    const start = performance.now()
    await ask(model, prompt)
    spent += performance.now() - start
    calls++
  }
  return (100 * spent * (100 / loop)) / (calls * 200)
}

const messages = historyOf(4_000)
/** As a process reads it that did not make it: strings new too. */
const sent = JSON.stringify(promptOf(messages))
const megabytes = sent.length / 1e6
const fresh = (): ModelMessage[] => promptOf(messages)
const read = (): ModelMessage[] => JSON.parse(sent)

/** Calls with these models, of prompts that are made before the clock starts. */
const calls = (modelOf: () => Generating, promptFrom: () => ModelMessage[]) => (): (() => unknown) => {
  const [model, prompt] = [modelOf(), promptFrom()]
  return () => ask(model, prompt)
}
const pruned = (): (() => unknown) => {
  const prompt = fresh()
  return () => pruneMessages({ messages: prompt, toolCalls: 'before-last-2-messages' })
}
const [bare, kept, storage] = [instant(), compacted(window), memoryStorage()]
/** Another process with the same storage, in which a summary of most of it lies. */
const later = (): Generating => compacted(200_000, storage)
await ask(later(), read())
await pause(1_000)

const rows: readonly { readonly what: string; readonly measure: () => Promise<number>; readonly bar?: number }[] = [
  {
    what: 'the model alone (ms)',
    measure: () =>
      timed(
        20,
        calls(() => bare, fresh),
      ),
  },
  { what: 'pruneMessages, which counts nothing (ms)', measure: () => timed(20, pruned) },
  {
    what: 'nothing to do: new objects, same strings (ms)',
    measure: () =>
      timed(
        60,
        calls(() => kept, fresh),
      ),
    bar: 3,
  },
  {
    what: 'nothing to do: strings new too (ms)',
    measure: () =>
      timed(
        30,
        calls(() => kept, read),
      ),
  },
  {
    what: 'a process that has not seen it (ms per MB)',
    measure: async () =>
      (await timed(
        16,
        calls(() => compacted(window), read),
      )) / megabytes,
    bar: 10,
  },
  { what: 'the same, with a summary in the storage (ms per MB)', measure: async () => (await timed(16, calls(later, read), 1_000)) / megabytes, bar: 10 },
  { what: 'an agent of 2,000 messages beside a model of 200 ms (% of its time)', measure: () => overhead(historyOf(2_000)), bar: 2 },
]
const gate = process.argv.includes('--gate')
console.log(`${messages.length} messages, ${megabytes.toFixed(1)} MB`)
for (const { what, measure, bar = Infinity } of rows) {
  let value = await measure()
  // What disturbs the machine for a moment is seen once.
  if (gate && value > bar * 1.5) value = await measure()
  if (gate && value > bar * 1.5) process.exitCode = 1
  console.log(`${what.padEnd(70)} ${value.toFixed(2).padStart(7)}${bar === Infinity ? '' : `   bar ${bar}`}`)
}
