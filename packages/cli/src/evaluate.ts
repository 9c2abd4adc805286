import type { CompactionPolicy } from '@precis/core'
import { everything, type Replayer, type ReplayFigures, replay, replayFigures, tailStart, tokensOf } from './replay/measure.ts'
import { isCall } from './replay/said.ts'
import { conversationSaid, sessionReplayer } from './replay/session.ts'
import { many, percent as shortPercent, whole } from './terminal/amounts.ts'
import { bold, columns, dim, wrapped } from './terminal/text.ts'
import type { Transcript } from './transcripts/transcript.ts'

/** How one policy would have done on one window, over all conversations larger than it: figures as in the project's own evals. */
export interface Evaluation extends Omit<ReplayFigures, 'meanCost'> {
  readonly window: number
  readonly conversations: number
  /** Conversations that say nothing: they fit the window, or a model never answered in them. */
  readonly skipped: { readonly fit: number; readonly withoutCalls: number }
  /** Mean tokens of a prompt: of the policy, and of the newest messages alone. */
  readonly promptTokens: { readonly own: number; readonly newest: number }
  /** The same figures if only the newest messages had been sent: at each call as many as fit the size of the policy's prompt. */
  readonly recallOfNewest: number | null
  readonly costOfNewest: number
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
    const skipped = { fit: 0, withoutCalls: 0 }
    for (const transcript of transcripts) {
      progress(done++, all)
      const said = conversationSaid(transcript)
      if (!said.some(isCall)) skipped.withoutCalls++
      else if (said.reduce((sum, { text }) => sum + tokensOf(text), 0) <= window) skipped.fit++
      else {
        const own = await replay(said, window, sessionReplayer(transcript, { policy }).replayer)
        const sizes = new Map(own.map(({ index, tokens }) => [index, tokens]))
        const newest: Replayer = (history) => ({ texts: history.slice(tailStart(history, sizes.get(history.length) ?? 0)).map(({ text }) => text) })
        sessions.push({ own, free: await replay(said, window, everything), newest: await replay(said, window, newest) })
      }
    }
    const { meanCost: _mean, ...figures } = replayFigures(sessions)
    const { recall: recallOfNewest, cost: costOfNewest } = replayFigures(sessions.map(({ newest, free }) => ({ own: newest, free })))
    const promptTokens = { own: meanTokens(sessions.map(({ own }) => own)), newest: meanTokens(sessions.map(({ newest }) => newest)) }
    found.push({ window, conversations: sessions.length, skipped, ...figures, promptTokens, recallOfNewest, costOfNewest })
  }
  progress(all, all)
  return found
}

function meanTokens(sessions: readonly (readonly { readonly tokens: number }[])[]): number {
  const calls = sessions.flat()
  return calls.length === 0 ? 0 : Math.round(calls.reduce((sum, { tokens }) => sum + tokens, 0) / calls.length)
}

const percent = (share: number | null): string => (share === null ? '–' : `${(share * 100).toFixed(1)} %`)

/** What a row means, in words. */
function meaning(one: Evaluation): string {
  const { window, conversations, skipped, calls, cost, recall, recallOfNewest, costOfNewest, promptTokens, compactions, stopped } = one
  const left = [
    ...(skipped.fit > 0 ? [`${many(skipped.fit, 'conversation')} fit the window`] : []),
    ...(skipped.withoutCalls > 0 ? [`${many(skipped.withoutCalls, 'conversation')} without a reply of a model`] : []),
  ].join(', ')
  const end = left === '' ? '' : ` Left out: ${left}.`
  if (conversations === 0) return `${whole(window)}: nothing to compare.${end}`
  const saved = cost <= 1 ? `${shortPercent(1 - cost)} less` : `${shortPercent(cost - 1)} more`
  const remembered =
    recall === null || recallOfNewest === null
      ? 'The model never named what it had last seen long before, so nothing is said of recall.'
      : `Of what the model named and had last seen long before, ${percent(recall)} stood in its prompt; the newest messages alone, in prompts of the same size (${whole(promptTokens.own)} tokens on average), had ${percent(recallOfNewest)}, at ${costOfNewest.toFixed(2)} of the cost of everything.`
  const failed = stopped === 0 ? '' : ` ${many(stopped, 'call')} could not be made: a message alone is larger than the window.`
  return `${whole(window)}: ${many(conversations, 'conversation')} with ${many(calls, 'call')} cost ${saved} than sending everything each time, with ${many(compactions, 'compaction')}. ${remembered}${failed}${end}`
}

/** The table that `compactctl eval` prints: one line a window, cost relative to no compaction, recall in percent; then each line in words. */
export function renderEvaluations(found: readonly Evaluation[], width: number = columns()): string {
  const head = ['window', 'conversations', 'calls', 'compactions', 'cost', 'recall', 'newest: cost', 'recall']
  const rows = found.map((one) => {
    const none = one.conversations === 0
    const figures = [none ? '–' : one.cost.toFixed(2), percent(one.recall), none ? '–' : one.costOfNewest.toFixed(2), percent(one.recallOfNewest)]
    return [whole(one.window), String(one.conversations), String(one.calls), String(one.compactions), ...figures]
  })
  const widths = head.map((title, at) => Math.max(title.length, ...rows.map((row) => (row[at] ?? '').length)))
  const line = (cells: readonly string[]): string => cells.map((cell, at) => cell.padStart(widths[at] ?? 0)).join('  ')
  const legend =
    'cost: prompts and replies, by prices of the prompt cache, relative to sending everything each time. recall: names that the model used and had last seen more than a quarter of the window before, and that stood in its prompt; mean over conversations. Tokens are characters ÷ 4; the window is all that prompts may take. A necessary condition, not task success.'
  const words = found.flatMap((one) => [...wrapped(meaning(one), width), ''])
  return [bold(line(head)), ...rows.map(line), '', ...words, ...wrapped(legend, width).map(dim)].join('\n')
}
