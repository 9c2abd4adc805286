import { splitSentences } from './questions.ts'
import { takesBack } from './takes-back.ts'
import { isCommon, piecesOf } from './words.ts'

/** Words that stand right before or behind a number, by the side, and that number. */
const besideNumbers = (text: string): readonly (readonly [word: string, number: string])[] => {
  const words = piecesOf(text)
  return words.flatMap((number, at) =>
    [-1, 1].flatMap((side) => {
      const word = words[at + side]
      return !/\d/.test(number) || word === undefined || isCommon(word) ? [] : [[`${side} ${word}`, number] as const]
    }),
  )
}

/**
 * Whether texts are of something with another number than one that has the number of the question: `order 1235`, not `order 1234`. What has no number beside that
 * word may be of any of them, and so may what takes something back.
 */
export function ofOtherNumber(question: string): (than: string) => (text: string) => boolean {
  const asked = besideNumbers(question)
  return (than) => {
    const has = (pairs: typeof asked, [word, number]: (typeof asked)[number]): boolean => pairs.some(([beside, one]) => beside === word && one === number)
    const those = asked.length === 0 ? [] : besideNumbers(than)
    const shared = asked.filter((pair) => has(those, pair))
    if (shared.length === 0) return () => false
    return (text) => {
      const said = splitSentences(text).map((sentence) => [sentence, besideNumbers(sentence)] as const)
      return shared.some((pair) => {
        const others = said.filter(([, pairs]) => pairs.some(([beside]) => beside === pair[0]))
        return others.length > 0 && !others.some(([sentence, pairs]) => has(pairs, pair) || takesBack(sentence))
      })
    }
  }
}
