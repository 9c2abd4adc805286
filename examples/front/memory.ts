// What a server still holds when its conversations are over: `--runs=1000` of 1.2 MB each, `--at-once=1`, through the AI SDK and its line. Needs --expose-gc.
import { AsyncLocalStorage } from 'node:async_hooks'
import { withCompaction } from '@precis/ai-sdk'
import { generateText, stepCountIs, tool } from 'ai'
import { MockLanguageModelV4 } from 'ai/test'
import { z } from 'zod'

const option = (name: string, fallback: number): number =>
  Number(
    process.argv
      .find((one) => one.startsWith(`--${name}=`))
      ?.slice(`--${name}=`.length) ?? fallback,
  )
const runs = option('runs', 200)
const atOnce = option('at-once', 1)
/** Outputs of a run, and characters of one: 1.2 MB together. */
const outputs = { count: 12, size: 100_000 }
/** Megabytes above the first reading that `--gate` allows. */
const most = 150

/** Lines as a log has them, no two alike. */
function logOf(run: number, part: number): string {
  const lines: string[] = []
  for (let at = 0, length = 0; length < outputs.size; at++) {
    const line = `10:${part}:${at} worker-${run} GET /orders/${run * 7919 + at} ${200 + (at % 7)} in ${(at * 31) % 977} ms`
    lines.push(line)
    length += line.length + 1
  }
  return lines.join('\n')
}

const unknown = { total: undefined, text: undefined, reasoning: undefined }
const fresh = {
  noCache: undefined,
  cacheRead: undefined,
  cacheWrite: undefined,
}
const usage = {
  inputTokens: { total: undefined, ...fresh },
  outputTokens: unknown,
}

/** The run that a call belongs to, as a server knows its request. */
const running = new AsyncLocalStorage<{ readonly run: number; part: number }>()
/** Reads the parts of one log, one after another. */
const reader = new MockLanguageModelV4({
  modelId: 'reader',
  doGenerate: async () => {
    const own = running.getStore() ?? { run: 0, part: outputs.count }
    const id = `${own.run}-${own.part}`
    const over = own.part === outputs.count
    const call = {
      type: 'tool-call',
      toolCallId: id,
      toolName: 'read_log',
    } as const
    return {
      content: over
        ? [{ type: 'text', text: 'I have read it.' }]
        : [{ ...call, input: JSON.stringify({ part: own.part++ }) }],
      finishReason: { unified: over ? 'stop' : 'tool-calls', raw: undefined },
      usage,
      warnings: [],
    }
  },
})
let compactions = 0
const model = withCompaction(reader, {
  limits: { contextWindow: 128_000, maxOutput: 8_000 },
  onReport: ({ outcome }) => {
    if (outcome !== 'unchanged' && outcome !== 'projected') compactions++
  },
})

async function runAgent(run: number): Promise<void> {
  const read_log = tool({
    inputSchema: z.object({ part: z.number() }),
    execute: ({ part }) => logOf(run, part),
  })
  await generateText({
    model,
    prompt: `Read the log of worker ${run}.`,
    tools: { read_log },
    stopWhen: stepCountIs(outputs.count + 1),
  })
  // What the mock notes of its calls is not ours.
  reader.doGenerateCalls.splice(0)
}

function megabytes(): number {
  globalThis.gc?.()
  const { heapUsed, external } = process.memoryUsage()
  return (heapUsed + external) / 2 ** 20
}

const first = megabytes()
const readings: number[] = []
let next = 0
const worker = async (): Promise<void> => {
  while (next < runs) {
    const run = next++
    await running.run({ run, part: 0 }, () => runAgent(run))
    if (run % Math.ceil(runs / 10) === 0) {
      readings.push(megabytes() - first)
      console.log(`${run + 1} runs: ${readings.at(-1)?.toFixed(0)} MB`)
    }
  }
}
await Promise.all(Array.from({ length: atOnce }, worker))
const held = megabytes() - first
console.log(
  `${runs} runs of 1.2 MB, ${atOnce} at once, ${compactions} compactions: ${held.toFixed(0)} MB held, at most ${Math.max(...readings).toFixed(0)} (bar ${most})`,
)
if (process.argv.includes('--gate') && Math.max(held, ...readings) > most)
  process.exitCode = 1
