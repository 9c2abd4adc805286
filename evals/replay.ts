// `npm run evals -- replay`: every session call by call on windows that are too small for it; what it costs against what is remembered.
// Flags: `--windows=16k,32k`, `--presets` for all presets, `--real` for o200k_base as the ruler (slow: ours, FIFO and nothing alone), `--gate` to fail on invalid or over-window calls.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  type CompactorOptions,
  createCompactor,
  InsufficientBudgetError,
  type Message,
  type PolicyOverrides,
  type PresetName,
  pairToolCalls,
  presets,
} from '@precis/core'
import { neutralCodec } from '@precis/testkit'
import { gptTokenizerEstimator } from '@precis/tokenizers'
import { contains, entitiesOf } from './entities.ts'
import { ruler } from './strategies.ts'
import { neutral, neutralText, type Recorded, type RecordedMessage, readTranscripts, textOf } from './transcripts.ts'

/** Prices relative to one uncached prompt token. Source: quality.md §1. */
const price = { cached: 0.1, fresh: 1.25, output: 5, summaryInput: 1, summaryOutput: 5 }
const leastCached = 1_024 // tokens
/** Names count as remembered things when they were last seen more than this share of the window ago. */
const farShare = 0.25

/** Characters ÷ 4, or o200k_base, which counts a text once. */
const real = process.argv.includes('--real')
const estimator = real ? await gptTokenizerEstimator() : ruler
const counted = new Map<string, number>()
function tokensOf(text: string): number {
  if (!real) return estimator.count(text) + 4
  const known = counted.get(text)
  if (known !== undefined) return known
  const tokens = estimator.count(text) + 4
  counted.set(text, tokens)
  return tokens
}

/** What a policy sends for the history so far. `history` grows by the session's own messages from call to call. */
type Replayer = (history: readonly RecordedMessage[], window: number) => Promise<Sent> | Sent
interface Sent {
  readonly texts: readonly string[]
  readonly unpaired?: number
  /** Tokens of summary calls made on the way. */
  readonly summary?: { readonly input: number; readonly output: number }
}

const none = (): Replayer => (history) => ({ texts: history.map(textOf) })

const cleared = '[output cleared]'
const total = (texts: readonly string[]): number => texts.reduce((sum, text) => sum + tokensOf(text), 0)

/** Start of the newest groups within a budget: never between a call and its answer. */
function tailStart(history: readonly RecordedMessage[], texts: readonly string[], budget: number): number {
  let spent = 0
  let start = history.length
  for (let at = history.length - 1; at >= 0; at--) {
    spent += tokensOf(texts[at] as string)
    if (spent > budget && start < history.length) break
    if (history[at]?.role !== 'tool') start = at
  }
  return start
}

const fifo = (): Replayer => (history, window) => {
  const texts = history.map(textOf)
  return { texts: texts.slice(tailStart(history, texts, window)) }
}

const slidingMask = (): Replayer => (history, window) => {
  let seen = 0
  const texts = history
    .toReversed()
    .map((message) => {
      if (message.role !== 'tool') return textOf(message)
      seen += tokensOf(message.content)
      return seen > window * 0.4 ? cleared : textOf(message)
    })
    .reverse()
  return { texts: texts.slice(tailStart(history, texts, window)) }
}

/** Compacts when the context passes eight tenths of the window, down to half of it, and keeps what it made until then. */
function batch(compact: (texts: readonly string[], history: readonly RecordedMessage[], target: number) => readonly (string | undefined)[]): () => Replayer {
  return () => {
    let made: readonly (string | undefined)[] = []
    return (history, window) => {
      const current = (): (string | undefined)[] => history.map((message, at) => (at < made.length ? made[at] : textOf(message)))
      let texts = current()
      if (total(texts.filter((text) => text !== undefined)) > window * 0.8) {
        made = compact(
          texts.map((text) => text ?? ''),
          history,
          window * 0.5,
        ).map((text, at) => (texts[at] === undefined ? undefined : text))
        texts = current()
      }
      return { texts: texts.filter((text) => text !== undefined) }
    }
  }
}

function fromTail(texts: readonly (string | undefined)[], history: readonly RecordedMessage[], target: number): readonly (string | undefined)[] {
  const start = tailStart(
    history,
    texts.map((text) => text ?? ''),
    target,
  )
  return texts.map((text, at) => (at < start ? undefined : text))
}

const prune = batch((texts, history, target) => {
  const made = [...texts]
  for (let at = 0; at < made.length && total(made) > target; at++) if (history[at]?.role === 'tool') made[at] = cleared
  return total(made) > target ? fromTail(made, history, target) : made
})

const headTail = batch((texts, history, target) => {
  const at = (limit: number): readonly string[] =>
    texts.map((text, index) => (history[index]?.role !== 'tool' || text.length <= limit ? text : `${text.slice(0, limit / 2)}\n…\n${text.slice(-limit / 2)}`))
  let [low, high] = [40, 40_000]
  while (high - low > 8) {
    const middle = (low + high) >> 1
    if (total(at(middle)) <= target) low = middle
    else high = middle
  }
  return total(at(low)) > target ? fromTail(at(low), history, target) : at(low)
})

/** The newest messages and a note on top, made anew at each compaction. */
function noted(note: (older: readonly string[], target: number) => { readonly text: string; readonly summary?: Sent['summary'] }): () => Replayer {
  return () => {
    let [start, text] = [0, '']
    return (history, window) => {
      const texts = history.map(textOf)
      const current = (): readonly string[] => (text === '' ? texts : [text, ...texts.slice(start)])
      if (total(current()) <= window * 0.8) return { texts: current() }
      const before = current().length - (texts.length - start)
      start = Math.max(start + before, tailStart(history, texts, window * 0.35))
      const made = note(texts.slice(0, start), window * 0.15)
      text = made.text
      return { texts: current(), ...(made.summary !== undefined && { summary: made.summary }) }
    }
  }
}

const tailAndList = noted((older, target) => {
  const names = new Set(older.toReversed().flatMap((text) => [...entitiesOf(text).keys()]))
  let list = 'Names of earlier messages:'
  for (const name of names) if (tokensOf(`${list}\n${name}`) <= target) list += `\n${name}`
  return { text: list }
})

/** A model's summary of three hundredths of the text: half of its names by chance, no surroundings. It pays for its calls. */
const lossySummary = noted((older, target) => {
  const whole = older.join('\n')
  const size = Math.min(target, whole.length / 4 / 33)
  const names = [...entitiesOf(whole).keys()].filter((_, at) => at % 2 === 0)
  let text = 'Summary of earlier messages:'
  for (const name of names.reverse()) if (tokensOf(`${text} ${name}`) <= size) text += ` ${name}`
  return { text, summary: { input: Math.ceil(whole.length / 4), output: Math.ceil(size) } }
})

/** The library through its public interface: the same session is asked before each call. */
function precis(policy: PolicyOverrides | PresetName, options: Partial<CompactorOptions<Message>> = {}): () => Replayer {
  return () => {
    let session: ReturnType<ReturnType<typeof createCompactor<Message>>['session']> | undefined
    const seen: Message[] = []
    return async (history, window) => {
      session ??= createCompactor<Message>({
        codec: neutralCodec,
        estimator,
        limits: { contextWindow: window, maxOutput: 0 },
        policy: typeof policy === 'string' ? presets[policy] : policy,
        redact: false,
        ...options,
      }).session('replay')
      for (const message of history.slice(seen.length)) seen.push(neutral(message))
      const { messages } = await session.beforeModelCall(seen)
      const { pairs, orphans } = pairToolCalls(messages)
      const had = new Set(history.map((message) => message.toolCallId))
      return {
        texts: messages.map(neutralText),
        unpaired: orphans.length + pairs.filter((pair) => pair.result === undefined && had.has(pair.callId)).length,
      }
    }
  }
}

interface Replayed {
  cost: number
  recalled: number
  names: number
  calls: number
  invalid: number
  over: number
  stopped: number
  compactions: number
}

async function replay(transcript: Recorded, window: number, create: () => Replayer): Promise<Replayed> {
  const replayer = create()
  const { messages } = transcript
  const texts = messages.map(textOf)
  const outcome: Replayed = { cost: 0, recalled: 0, names: 0, calls: 0, invalid: 0, over: 0, stopped: 0, compactions: 0 }
  const lastSeen = new Map<string, number>()
  let position = 0
  let before = ''
  for (let at = 0; at < messages.length; at++) {
    const text = texts[at] as string
    if (messages[at]?.role === 'assistant' && at > 0) {
      let sent: Sent
      try {
        sent = await replayer(messages.slice(0, at), window)
      } catch (error) {
        if (!InsufficientBudgetError.isInstance(error)) throw error
        // The newest message alone does not fit: the call cannot be made.
        outcome.stopped++
        sent = { texts: [] }
      }
      const prompt = sent.texts.join('\n\u0000')
      const all = total(sent.texts)
      const common = Math.floor(commonPrefix(before, prompt) * (real ? all / Math.max(1, prompt.length) : 1 / 4))
      const cached = common >= leastCached ? Math.min(common, all) : 0
      if (before !== '' && !prompt.startsWith(before)) outcome.compactions++
      before = prompt
      outcome.calls++
      outcome.invalid += Number((sent.unpaired ?? 0) > 0)
      outcome.over += Number(all > window)
      outcome.cost += cached * price.cached + (all - cached) * price.fresh + tokensOf(text) * price.output
      if (sent.summary !== undefined) outcome.cost += sent.summary.input * price.summaryInput + sent.summary.output * price.summaryOutput
      for (const name of entitiesOf(text).keys()) {
        const last = lastSeen.get(name)
        if (last === undefined || position - last <= window * farShare) continue
        outcome.names++
        if (contains(prompt, name)) outcome.recalled++
      }
    }
    for (const name of entitiesOf(text).keys()) lastSeen.set(name, position)
    position += tokensOf(text)
  }
  return outcome
}

function commonPrefix(a: string, b: string): number {
  if (b.startsWith(a)) return a.length
  let [low, high] = [0, Math.min(a.length, b.length)]
  while (high > low) {
    const middle = (low + high + 1) >> 1
    if (a.slice(low, middle) === b.slice(low, middle)) low = middle
    else high = middle - 1
  }
  return low
}

const flag = (name: string): string | undefined => process.argv.find((argument) => argument.startsWith(`--${name}=`))?.slice(name.length + 3)
const windows = (flag('windows') ?? '16k,32k,64k,128k').split(',').map((text) => Number.parseInt(text, 10) * 1_000)
const policies: Record<string, () => Replayer> = {
  'no compaction': none,
  'FIFO at the window': fifo,
  'sliding masking': slidingMask,
  'batch prune, 0.8 to 0.5': prune,
  'head + tail, 0.8 to 0.5': headTail,
  'tail + list': tailAndList,
  'lossy 3 % summary': lossySummary,
  'Précis, balanced': precis('balanced'),
}
if (real) for (const name of Object.keys(policies)) if (!['no compaction', 'FIFO at the window', 'Précis, balanced'].includes(name)) delete policies[name]
if (process.argv.includes('--presets')) for (const name of Object.keys(presets) as PresetName[]) policies[`Précis, ${name}`] = precis(name)

const coding = new Set(['claude-code', 'claude-code-agentv', 'pi'])
const sessions = readTranscripts().filter(({ set }) => coding.has(set))
const rows: Record<string, string | number>[] = []
for (const window of windows) {
  // Sessions that never leave a quarter of the window have nothing to forget.
  const some = sessions.filter(({ messages }) => messages.reduce((sum, message) => sum + tokensOf(textOf(message)), 0) > window)
  let free = 0
  const freeOf = new Map<string, number>()
  for (const [policy, create] of Object.entries(policies)) {
    const all: Replayed[] = []
    const costs: number[] = []
    for (const transcript of some) {
      const one = await replay(transcript, window, create)
      if (policy === 'no compaction') {
        free += one.cost
        freeOf.set(transcript.id, one.cost)
      }
      costs.push(one.cost / (freeOf.get(transcript.id) ?? one.cost))
      all.push(one)
    }
    const sum = (field: keyof Replayed): number => all.reduce((total, one) => total + one[field], 0)
    const recalls = all.filter((one) => one.names > 0).map((one) => one.recalled / one.names)
    const mean = (values: readonly number[]): number => values.reduce((a, b) => a + b, 0) / Math.max(1, values.length)
    rows.push({
      window: `${window / 1_000}k`,
      policy,
      cost: Math.round((sum('cost') / free) * 1_000) / 1_000,
      'cost, mean of sessions': Math.round(mean(costs) * 1_000) / 1_000,
      recall: Math.round(mean(recalls) * 1_000) / 10,
      calls: sum('calls'),
      compactions: sum('compactions'),
      invalid: sum('invalid'),
      'over the window': sum('over'),
      stopped: sum('stopped'),
    })
  }
  console.log(`${window / 1_000}k: ${some.length} sessions larger than the window`)
}
console.table(rows)
const results = join(import.meta.dirname, 'results')
mkdirSync(results, { recursive: true })
writeFileSync(join(results, real ? 'replay-real.json' : 'replay.json'), JSON.stringify(rows, null, 2))
const bad = rows.filter((row) => String(row['policy']).startsWith('Précis') && (Number(row['invalid']) > 0 || Number(row['over the window']) > 0))
for (const row of bad) console.error(`${row['policy']} at ${row['window']}: ${row['invalid']} invalid calls, ${row['over the window']} over the window`)
if (bad.length > 0 && process.argv.includes('--gate')) process.exitCode = 1
