// `npm run evals -- replay`: every session call by call on windows that are too small for it; what it costs against what is remembered.
// Flags: `--windows=16k,32k`, `--presets` for all presets, `--real` for o200k_base as the ruler (slow: ours, FIFO and nothing alone), `--gate` to fail on invalid or over-window calls.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  tokensOf as charactersOf,
  entitiesOf,
  everything,
  fromRecorded,
  newestThatFit,
  type ReplayedCall,
  type Replayer,
  type Ruler,
  replay,
  replayFigures,
  ruler,
  type Said,
  type Sent,
  sessionReplayer,
  tailStart,
  textOf,
} from '@precis/cli/replay'
import { neutralCodec, type PresetName, presets } from '@precis/core'
import { gptTokenizerEstimator } from '@precis/tokenizers'
import { type Recorded, readTranscripts } from './sessions/transcripts.ts'

/** Characters ÷ 4, or o200k_base, which counts a text once. */
const real = process.argv.includes('--real')
const estimator = real ? await gptTokenizerEstimator() : ruler
const counted = new Map<string, number>()
const tokensOf: Ruler = real ? counting : charactersOf
function counting(text: string): number {
  const known = counted.get(text)
  if (known !== undefined) return known
  const tokens = estimator.count(text) + 4
  counted.set(text, tokens)
  return tokens
}

const cleared = '[output cleared]'
const total = (texts: readonly string[]): number => texts.reduce((sum, text) => sum + tokensOf(text), 0)

/** Start of the newest groups whose texts fit a budget. */
const startOf = (texts: readonly (string | undefined)[], history: readonly Said[], budget: number): number =>
  tailStart(
    history.map(({ role }, at) => ({ role, text: texts[at] ?? '' })),
    budget,
    tokensOf,
  )

const slidingMask = (): Replayer => (history, window) => {
  let seen = 0
  const texts = history
    .toReversed()
    .map(({ role, text }) => {
      if (role === 'tool') seen += tokensOf(text)
      return role === 'tool' && seen > window * 0.4 ? cleared : text
    })
    .reverse()
  return { texts: texts.slice(startOf(texts, history, window)) }
}

/** Compacts when the context passes eight tenths of the window, down to half of it, and keeps what it made until then. */
function batch(compact: (texts: readonly string[], history: readonly Said[], target: number) => readonly (string | undefined)[]): () => Replayer {
  return () => {
    let made: readonly (string | undefined)[] = []
    return (history, window) => {
      const current = (): (string | undefined)[] => history.map((message, at) => (at < made.length ? made[at] : message.text))
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

function fromTail(texts: readonly (string | undefined)[], history: readonly Said[], target: number): readonly (string | undefined)[] {
  const start = startOf(texts, history, target)
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
      const texts = history.map((message) => message.text)
      const current = (): readonly string[] => (text === '' ? texts : [text, ...texts.slice(start)])
      if (total(current()) <= window * 0.8) return { texts: current() }
      const before = current().length - (texts.length - start)
      start = Math.max(start + before, tailStart(history, window * 0.35, tokensOf))
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
const precis =
  (name: PresetName) =>
  ({ messages }: Recorded): Replayer =>
    sessionReplayer({ messages: messages.map(fromRecorded), codec: neutralCodec }, { policy: presets[name], estimator }).replayer

const flag = (name: string): string | undefined => process.argv.find((argument) => argument.startsWith(`--${name}=`))?.slice(name.length + 3)
const windows = (flag('windows') ?? '16k,32k,64k,128k').split(',').map((text) => Number.parseInt(text, 10) * 1_000)
const policies: Record<string, (transcript: Recorded) => Replayer> = {
  'no compaction': () => everything,
  'FIFO at the window': () => newestThatFit(tokensOf),
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
  // Sessions that fit into the window have nothing to forget.
  const some = sessions.filter(({ messages }) => messages.reduce((sum, message) => sum + tokensOf(textOf(message)), 0) > window)
  const free = new Map<Recorded, readonly ReplayedCall[]>()
  for (const [policy, create] of Object.entries(policies)) {
    const all: { readonly own: readonly ReplayedCall[]; readonly free: readonly ReplayedCall[] }[] = []
    for (const transcript of some) {
      const said = transcript.messages.map((message) => ({ role: message.role, text: textOf(message) }))
      const own = await replay(said, window, create(transcript), tokensOf)
      if (policy === 'no compaction') free.set(transcript, own)
      all.push({ own, free: free.get(transcript) ?? own })
    }
    const { cost, meanCost, recall, calls, compactions, invalid, over, stopped } = replayFigures(all)
    rows.push({
      window: `${window / 1_000}k`,
      policy,
      cost: Math.round(cost * 1_000) / 1_000,
      'cost, mean of sessions': Math.round(meanCost * 1_000) / 1_000,
      recall: Math.round((recall ?? 0) * 1_000) / 10,
      calls,
      compactions,
      invalid,
      'over the window': over,
      stopped,
    })
  }
  console.log(`${window / 1_000}k: ${some.length} sessions larger than the window, ${sessions.length - some.length} that fit are skipped`)
}
console.table(rows)
const results = join(import.meta.dirname, 'results')
mkdirSync(results, { recursive: true })
writeFileSync(join(results, real ? 'replay-real.json' : 'replay.json'), JSON.stringify(rows, null, 2))
const bad = rows.filter((row) => String(row['policy']).startsWith('Précis') && (Number(row['invalid']) > 0 || Number(row['over the window']) > 0))
for (const row of bad) console.error(`${row['policy']} at ${row['window']}: ${row['invalid']} invalid calls, ${row['over the window']} over the window`)
if (bad.length > 0 && process.argv.includes('--gate')) process.exitCode = 1
