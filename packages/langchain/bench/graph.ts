// A long agent through LangGraph, bare and with ours: how long its event loop is kept, what it holds in memory, and what the graph writes. With `--gate` it fails where that is more than without us.
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { BaseChatModel } from '@langchain/core/language_models/chat_models'
import { AIMessage, type BaseMessage, HumanMessage } from '@langchain/core/messages'
import type { ChatResult } from '@langchain/core/outputs'
import { MemorySaver } from '@langchain/langgraph'
import { memoryStorage } from '@precis/core'
import { compaction } from '@precis/langchain'
import { type AgentMiddleware, createAgent, summarizationMiddleware, tool } from 'langchain'
import { z } from 'zod'

const steps = Number(process.argv.slice(2).find((one) => /^\d+$/.test(one)) ?? 200)
const window = 64_000
const limits = { contextWindow: window, maxOutput: 4_000 }

/** Reads one file after another, and says that it is done. Without a window: what is measured is what stands in front of a model. */
class Reader extends BaseChatModel {
  calls = 0
  _llmType(): string {
    return 'reader'
  }
  override bindTools(): this {
    return this
  }
  async _generate(messages: BaseMessage[]): Promise<ChatResult> {
    await new Promise((resolve) => setTimeout(resolve, 1)) // a network comes between
    const isSummary = messages.length === 1 && !messages[0]?.text.startsWith('Read')
    const at = isSummary ? this.calls : this.calls++
    const args = { path: `src/module-${at}.ts` }
    const message =
      isSummary || at >= steps
        ? new AIMessage(isSummary ? 'Files were read, one after another, and nothing was changed.' : 'done')
        : new AIMessage({ content: '', tool_calls: [{ id: `c${at}`, name: 'read_file', args }] })
    return { generations: [{ text: message.text, message }] }
  }
}

const fileText = (path: string): string =>
  Array.from({ length: 90 }, (_, line) => `export const value_${path.replace(/\W/g, '_')}_${line} = compute(${(line * path.length) % 9_973})`).join('\n')
const readFile = tool(async ({ path }) => fileText(path), { name: 'read_file', description: 'Reads a file.', schema: z.object({ path: z.string() }) })
const summarize = summarizationMiddleware as unknown as (options: object) => AgentMiddleware

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void
const held = (): number => {
  collect()
  return process.memoryUsage().heapUsed / 1e6
}

/** Milliseconds of each stretch in which nothing else came to its turn. */
function watched(): { stop(): readonly number[] } {
  const stretches: number[] = []
  let running = true
  let last = performance.now()
  const tick = (): void => {
    const now = performance.now()
    stretches.push(now - last)
    last = now
    if (running) setImmediate(tick)
  }
  setImmediate(tick)
  return {
    stop() {
      running = false
      stretches.push(performance.now() - last)
      return stretches.sort((a, b) => a - b)
    },
  }
}

/** Of all serialized values in what a checkpointer keeps. */
function bytesIn(kept: unknown): number {
  if (kept instanceof Uint8Array) return kept.length
  return typeof kept === 'object' && kept !== null ? Object.values(kept).reduce((sum: number, one) => sum + bytesIn(one), 0) : 0
}

async function run(middleware: readonly AgentMiddleware[]) {
  const saver = new MemorySaver()
  const agent = createAgent({ model: new Reader({}), tools: [readFile], middleware, checkpointer: saver })
  const before = held()
  const watch = watched()
  const started = performance.now()
  const config = { configurable: { thread_id: 't' }, recursionLimit: steps * 4, streamMode: 'updates' as const }
  let [updates, bytes] = [0, 0]
  for await (const update of await agent.stream({ messages: [new HumanMessage('Read all files.')] }, config)) {
    updates++
    bytes += JSON.stringify(update).length
  }
  const seconds = (performance.now() - started) / 1_000
  const stretches = watch.stop()
  const grown = held() - before
  return {
    'seconds in all': seconds.toFixed(1),
    'longest stretch, ms': (stretches.at(-1) ?? 0).toFixed(0),
    '99.9 % of stretches within, ms': (stretches[Math.floor(stretches.length * 0.999)] ?? 0).toFixed(1),
    'heap at the end, MB': grown.toFixed(0),
    updates,
    'updates, kB': Math.round(bytes / 1_000),
    'checkpoints, MB': (bytesIn(saver.storage) / 1e6).toFixed(1),
    'writes, MB': (bytesIn(saver.writes) / 1e6).toFixed(1),
  }
}

await run([]) // warm
console.log(`${steps} steps of about 1,900 tokens, a window of ${window.toLocaleString('en-US')}, MemorySaver`)
const rows = {
  nothing: await run([]),
  summarizationMiddleware: await run([summarize({ model: new Reader({}), trigger: { tokens: window * 0.8 }, keep: { messages: 20 } })]),
  'compaction()': await run([compaction({ limits }) as unknown as AgentMiddleware]),
  'with a storage': await run([compaction({ limits, storage: memoryStorage() }) as unknown as AgentMiddleware]),
}
console.table(rows)

/** How many times as much as without us. Without a storage the checkpointer holds the summary itself. A stretch of ours is at most about as long as one of the graph's. */
const most = {
  'compaction()': { 'longest stretch, ms': 4, updates: 1, 'updates, kB': 1.01, 'checkpoints, MB': 1.2, 'writes, MB': 1.2 },
  'with a storage': { 'longest stretch, ms': 4, updates: 1, 'updates, kB': 1.01, 'checkpoints, MB': 1.01, 'writes, MB': 1.01 },
}
/** What a finished run leaves in memory (MB). */
const mostHeap = 40
if (process.argv.includes('--gate'))
  for (const [row, bars] of Object.entries(most) as [keyof typeof most, Readonly<Record<string, number>>][])
    for (const [figure, bar] of Object.entries(bars) as [keyof (typeof rows)['nothing'], number][]) {
      const times = Number(rows[row][figure]) / Number(rows.nothing[figure])
      if (times <= bar) continue
      console.error(`${row}: ${figure} is ${times.toFixed(3)} times what it is without it; at most ${bar}`)
      process.exitCode = 1
    }
if (process.argv.includes('--gate'))
  for (const row of Object.keys(most) as (keyof typeof most)[]) {
    const heap = Number(rows[row]['heap at the end, MB'])
    if (heap <= mostHeap) continue
    console.error(`${row}: ${heap} MB are left in memory; at most ${mostHeap}`)
    process.exitCode = 1
  }
