// What a server still holds when its conversations are over, through the AI SDK and its line. Needs --expose-gc.
// `--runs=1000` of 1.2 MB each, `--at-once=1`; or `--minutes=10` of smaller ones, `--per-second=3`: what is in use after the second minute and at the end,
// beside the same conversations without us in a process of their own.
import { AsyncLocalStorage } from 'node:async_hooks'
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout } from 'node:timers/promises'
import { getHeapSpaceStatistics } from 'node:v8'
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
const minutes = option('minutes', 0)
const perSecond = option('per-second', 3)
/** Outputs of a run, and characters of one: 1.2 MB together, or a tenth of that. */
const outputs = { count: 12, size: minutes > 0 ? 10_000 : 100_000 }
const contextWindow = minutes > 0 ? 32_000 : 128_000
/** Megabytes above the first reading that `--gate` allows, and above the second minute's. */
const most = { held: 150, later: 20 }

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
  limits: { contextWindow, maxOutput: contextWindow / 16 },
  onReport: ({ outcome }) => {
    if (outcome !== 'unchanged' && outcome !== 'projected') compactions++
  },
})

/** The same conversations without us. */
const isBare = process.argv.includes('--bare')

async function runAgent(run: number): Promise<void> {
  const read_log = tool({
    inputSchema: z.object({ part: z.number() }),
    execute: ({ part }) => logOf(run, part),
  })
  await generateText({
    model: isBare ? reader : model,
    prompt: `Read the log of worker ${run}.`,
    tools: { read_log },
    stopWhen: stepCountIs(outputs.count + 1),
  })
  // What the mock notes of its calls is not ours.
  reader.doGenerateCalls.splice(0)
}

function megabytes(): number {
  // The first may end a marking that had begun: what was let go of since is there until the second.
  globalThis.gc?.()
  globalThis.gc?.()
  const { heapUsed, external } = process.memoryUsage()
  return (heapUsed + external) / 2 ** 20
}

/** One after another, so many at once, until all are done. */
async function allRuns(): Promise<void> {
  const first = megabytes()
  const readings: number[] = []
  let next = 0
  const worker = async (): Promise<void> => {
    while (next < runs) {
      const run = next++
      await running.run({ run, part: 0 }, () => runAgent(run))
      if (run % Math.ceil(runs / 10) !== 0) continue
      readings.push(megabytes() - first)
      console.log(`${run + 1} runs: ${readings.at(-1)?.toFixed(0)} MB`)
    }
  }
  await Promise.all(Array.from({ length: atOnce }, worker))
  const held = megabytes() - first
  const highest = Math.max(held, ...readings)
  console.log(
    `${runs} runs of 1.2 MB, ${atOnce} at once, ${compactions} compactions: ${held.toFixed(0)} MB held, at most ${highest.toFixed(0)} (bar ${most.held})`,
  )
  judge(highest <= most.held)
}

const mega = (bytes: number): number => Math.round(bytes / 2 ** 20)

/** One minute of a process, in MB: what is in use after a collection, and of what is resident what V8 keeps for the heap, by generation. */
function reading() {
  const before = process.memoryUsage()
  const spaces = getHeapSpaceStatistics()
  const sizeOf = (name: RegExp): number =>
    mega(
      spaces
        .filter(({ space_name }) => name.test(space_name))
        .reduce((sum, { space_size }) => sum + space_size, 0),
    )
  return {
    resident: mega(before.rss),
    heap: mega(before.heapTotal),
    young: sizeOf(/^new/),
    old: sizeOf(/^(?:old|large)/),
    'in use': Math.round(megabytes()),
    'CPU seconds': Math.round(process.cpuUsage().user / 1e6),
  }
}

/** So many begin in each second, as on a server. */
async function atRate(): Promise<void> {
  const name = isBare ? 'without us' : 'withCompaction'
  const other = isBare
    ? undefined
    : fork(import.meta.filename, [...process.argv.slice(2), '--bare'])
  const readings: ReturnType<typeof reading>[] = []
  const open = new Set<Promise<void>>()
  let started = performance.now()
  for (let run = 0; run < minutes * 60 * perSecond; run++) {
    const due = started + (run / perSecond) * 1_000 - performance.now()
    if (due > 0) await setTimeout(due)
    const one = running
      .run({ run, part: 0 }, () => runAgent(run))
      .finally(() => open.delete(one))
    open.add(one)
    if ((run + 1) % (60 * perSecond) !== 0) continue
    const late = open.size
    // A busy machine falls behind: what is under way is not over, and is read by nobody as held.
    await Promise.all(open)
    const now = reading()
    readings.push(now)
    started = performance.now() - ((run + 1) / perSecond) * 1_000
    const values = Object.entries(now).map(([what, much]) => `${much} ${what}`)
    console.log(
      `${name}, minute ${readings.length}: ${values.join(', ')}; ${late} were under way`,
    )
  }
  await Promise.all(open)
  if (other !== undefined && other.exitCode === null) await once(other, 'exit')
  const [second, last] = [readings[1], readings.at(-1)]
  if (second === undefined || last === undefined) return
  const more = Math.round(megabytes()) - second['in use']
  console.log(
    `${name}: ${minutes} minutes, ${perSecond} conversations of 0.12 MB a second, ${compactions} compactions: ${more} MB more in use than after the second minute (bar ${most.later}), ${last.resident - second.resident} MB more resident`,
  )
  judge(more <= most.later)
}

function judge(isWithin: boolean): void {
  if (process.argv.includes('--gate') && !isWithin) process.exitCode = 1
}

await (minutes > 0 ? atRate() : allRuns())
