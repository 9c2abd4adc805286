import { joinPassages } from './join-passages.ts'
import type { Passage, PassageSource } from './name-index.ts'
import { quoted, quotedSpeech } from './quote.ts'

/** The chosen passages of a source behind its label, none of which can be taken for a mark of ours; `>` before each line of an answer. */
export function showPassages({ text, label = '', kind, outputsFrom = text.length }: PassageSource, passages: readonly Passage[]): string {
  const said = joinPassages(text.slice(0, outputsFrom), stretch(passages, 0, outputsFrom))
  const answered = joinPassages(text.slice(outputsFrom), stretch(passages, outputsFrom, text.length))
  const lead = said === '' ? label.trimEnd() : `${label}${kind === 'output' || kind === 'failure' ? quoted(said) : quotedSpeech(said)}${answered && '\n'}`
  return `${lead}${quoted(answered).replace(/^(?=.)/gm, '> ')}`
}

/** What of the passages lies between two places, from the first one on. */
function stretch(passages: readonly Passage[], from: number, to: number): readonly Passage[] {
  return passages
    .filter(({ start, end }) => start < to && end > from)
    .map(({ start, end }) => ({ start: Math.max(start, from) - from, end: Math.min(end, to) - from }))
}
