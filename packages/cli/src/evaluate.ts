import { builtInEstimator, type CompactionPolicy } from '@precis/core'
import { costOf, replayTranscript, textOf } from './replay.ts'
import type { Transcript } from './transcript.ts'

/** How one policy would have done on one window, over all conversations larger than it. */
export interface Evaluation {
  readonly window: number
  readonly conversations: number
  readonly calls: number
  readonly compactions: number
  /** Prompt cost relative to sending the whole history each time. */
  readonly cost: number
  /** Share (0–1) of names the model used, last seen more than a quarter of the window before, that were in its prompt; null where there were none. */
  readonly recall: number | null
  /** The same if only the newest messages had been sent, as many as fit. */
  readonly recallOfNewest: number | null
  /** Calls that could not be made. */
  readonly stopped: number
}

/** @returns One evaluation a window. Conversations that fit a window say nothing about it. */
export async function evaluate(
  transcripts: readonly Transcript[],
  windows: readonly number[],
  policy: CompactionPolicy,
  progress: (done: number, all: number) => void = () => {},
): Promise<readonly Evaluation[]> {
  const all = transcripts.length * windows.length
  let done = 0
  const found: Evaluation[] = []
  for (const window of windows) {
    const sums = { conversations: 0, calls: 0, compactions: 0, cost: 0, free: 0, names: 0, recalled: 0, newest: 0, stopped: 0 }
    for (const transcript of transcripts) {
      progress(done++, all)
      const texts = transcript.messages.map((message) => textOf(transcript.codec.read(message)))
      const sizes = texts.map((text) => builtInEstimator.count(text) + 4)
      if (sizes.reduce((sum, size) => sum + size, 0) <= window) continue
      const { calls, stopped, whole } = await replayTranscript(transcript, { window, policy })
      sums.conversations++
      sums.calls += calls.length
      sums.stopped += stopped.length
      sums.cost += costOf(calls)
      sums.free += costOf(whole)
      for (const { index, report, recalled, far } of calls) {
        if (report.outcome !== 'unchanged' && report.outcome !== 'projected') sums.compactions++
        sums.names += far.length
        sums.recalled += recalled
        if (far.length === 0) continue
        const newest = newestThatFit(texts, sizes, index, window)
        sums.newest += far.filter((name) => newest.includes(name)).length
      }
    }
    const share = (part: number): number | null => (sums.names === 0 ? null : part / sums.names)
    found.push({
      window,
      conversations: sums.conversations,
      calls: sums.calls,
      compactions: sums.compactions,
      cost: sums.free === 0 ? 1 : sums.cost / sums.free,
      recall: share(sums.recalled),
      recallOfNewest: share(sums.newest),
      stopped: sums.stopped,
    })
  }
  progress(all, all)
  return found
}

function newestThatFit(texts: readonly string[], sizes: readonly number[], end: number, window: number): string {
  let start = end
  for (let left = window; start > 0; start--) {
    left -= sizes[start - 1] as number
    if (left < 0) break
  }
  return texts.slice(start, end).join('\n')
}

export function renderEvaluations(found: readonly Evaluation[]): string {
  const percent = (share: number | null): string => (share === null ? '–' : `${(share * 100).toFixed(1)} %`)
  const head = ['window', 'conversations', 'calls', 'compactions', 'cost', 'recall', 'newest only', 'stopped']
  const rows = found.map((one) => [
    one.window.toLocaleString('en'),
    String(one.conversations),
    String(one.calls),
    String(one.compactions),
    one.conversations === 0 ? '–' : one.cost.toFixed(2),
    percent(one.recall),
    percent(one.recallOfNewest),
    String(one.stopped),
  ])
  const widths = head.map((title, at) => Math.max(title.length, ...rows.map((row) => (row[at] ?? '').length)))
  const line = (cells: readonly string[]): string => cells.map((cell, at) => cell.padStart(widths[at] ?? 0)).join('  ')
  const legend = [
    'cost: prompts, by prices of the prompt cache, relative to sending everything each time. recall: names the model used that were last seen more than',
    'a quarter of the window before, and were in its prompt; newest only: the same if the newest messages alone had been sent. A necessary condition, not task success.',
  ]
  return [line(head), ...rows.map(line), '', ...legend].join('\n')
}
