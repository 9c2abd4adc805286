import { joinPassages } from './join-passages.ts'
import type { Passage, PassageSource } from './name-index.ts'
import { quoted, quotedSpeech } from './quote.ts'

/** The chosen passages of a source behind its label, none of which can be taken for a mark of ours; `>` before each line of an answer. */
export function showPassages({ text, label = '', kind, outputsFrom = text.length }: PassageSource, passages: readonly Passage[]): string {
  const said = joinPassages(text, passages, 0, outputsFrom)
  const answered = joinPassages(text, passages, outputsFrom)
  const lead = said === '' ? label.trimEnd() : `${label}${kind === 'output' || kind === 'failure' ? quoted(said) : quotedSpeech(said)}${answered && '\n'}`
  return `${lead}${quoted(answered).replace(/^(?=.)/gm, '> ')}`
}
