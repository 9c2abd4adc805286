import type { CompactionPolicy } from '@precis/core'
import { everything, newestThatFit, type ReplayFigures, replay, replayFigures, tokensOf } from './replay/measure.ts'
import { conversationSaid, sessionReplayer } from './replay/session.ts'
import type { Transcript } from './transcript.ts'

/** How one policy would have done on one window, over all conversations larger than it: figures as in the project's own evals. */
export interface Evaluation extends Omit<ReplayFigures, 'meanCost'> {
  readonly window: number
  readonly conversations: number
  /** The same share as `recall` if only the newest messages had been sent, as many as fit. */
  readonly recallOfNewest: number | null
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
    const sessions = []
    for (const transcript of transcripts) {
      progress(done++, all)
      const said = conversationSaid(transcript)
      if (said.reduce((sum, { text }) => sum + tokensOf(text), 0) <= window) continue
      const { replayer } = sessionReplayer(transcript, { policy })
      sessions.push({
        own: await replay(said, window, replayer),
        free: await replay(said, window, everything),
        newest: await replay(said, window, newestThatFit()),
      })
    }
    const { meanCost: _mean, ...figures } = replayFigures(sessions)
    const { recall: recallOfNewest } = replayFigures(sessions.map(({ newest, free }) => ({ own: newest, free })))
    found.push({ window, conversations: sessions.length, ...figures, recallOfNewest })
  }
  progress(all, all)
  return found
}

/** The table that `compactctl eval` prints: one line a window, cost relative to no compaction, recall in percent. */
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
    'cost: prompts and replies, by prices of the prompt cache, relative to sending everything each time. recall: names the model used that were last seen',
    'more than a quarter of the window before, and were in its prompt, mean over conversations; newest only: the same if the newest messages alone had been',
    'sent. Tokens are characters ÷ 4, the window is all that prompts may take. A necessary condition, not task success.',
  ]
  return [line(head), ...rows.map(line), '', ...legend].join('\n')
}
