import type { Passage, PassageSource } from '../names/name-index.ts'
import { quoted, quotedSpeech } from '../texts/quote.ts'
import { joinPassages } from './join-passages.ts'
import { pathBefore } from './json-lines.ts'

/** The chosen passages of a source behind its label, none of which can be taken for a mark of ours; `>` before each line of an answer. */
export function showPassages({ text, label = '', kind, outputsFrom = text.length }: PassageSource, passages: readonly Passage[]): string {
  const placed = passages.flatMap((passage, at) => {
    const path = pathBefore(text, passage.start, passages[at - 1]?.end)
    return path ? (path.end + 1 < passage.start ? [path, passage] : { ...passage, start: path.start }) : passage
  })
  const said = joinPassages(text, placed, 0, outputsFrom)
  const answered = joinPassages(text, placed, outputsFrom)
  const lead = said === '' ? label.trimEnd() : `${label}${kind === 'output' || kind === 'failure' ? quoted(said) : quotedSpeech(said)}${answered && '\n'}`
  return `${lead}${quoted(answered).replace(/^(?=.)/gm, '> ')}`
}
