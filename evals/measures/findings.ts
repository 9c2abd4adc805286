import { sentencesOf } from './wording.ts'

/** Cues of a result, a cause or a choice. */
const cues = new RegExp(
  `\\b(?:${[
    'because',
    'root cause',
    'reason',
    'therefore',
    'so the',
    'means that',
    'turns out',
    'found',
    'the fix',
    'the (?:problem|issue|bug) (?:is|was)',
    'decided',
    'instead of',
    'will (?:use|keep|not)',
    'recommend',
    'should',
    'must',
    'need to',
    'confirmed',
    'verified',
    'pass(?:es)?',
    'fail(?:s|ed)?',
    "doesn[’']t work",
  ].join('|')})\\b`,
  'i',
)
const shortest = 30 // characters

/** The assistant's sentences of at least thirty characters, each once. */
export function statementsOf(messages: readonly { readonly role: string; readonly content: string }[]): readonly string[] {
  const sentences = messages.filter(({ role }) => role === 'assistant').flatMap(({ content }) => sentencesOf(content))
  return [...new Set(sentences)].filter((sentence) => sentence.length >= shortest)
}

/** Whether a sentence states a result, a cause or a choice. */
export function isFinding(sentence: string): boolean {
  return cues.test(sentence)
}
