import type { Random } from '@precis/testkit'
import type { Said } from './format.ts'
import { shuffled } from './shuffled.ts'
import { phrasesOf } from './tool-phrases.ts'

/** One sentence of an output, and the questions about it. */
export interface ToolFact {
  readonly sentence: string
  readonly asked: Pick<Said, 'asks' | 'asksOtherwise' | 'answer'>
}

const names =
  'Quillback Tamsin Brightholm Corvane Ellerby Fennick Grantown Hollins Ivarsen Jessamy Kestlow Lundale Merrow Norcott Oxmere Pellworth Ravenel Stanmoor Thornby Ulverton Wexcombe Yarrow'.split(
    ' ',
  )

/** A port, a reference, a path, a number to call: in the order of the phrases. */
const values: readonly ((random: Random) => string)[] = [
  (random) => `${random.between(20_000, 59_999)}`,
  (random) =>
    `${random.pick(['RF', 'QB', 'TX'])}-${random.between(100_000, 999_999)}`,
  (random) =>
    `/srv/${random.pick(['attic', 'cellar', 'depot'])}/${random.between(10_000, 99_999)}`,
  (random) => `${random.between(300, 999)} ${random.between(10_000, 99_999)}`,
]

/** Four facts in a language, and sentences like them about other names. */
export function toolFacts(language: string, random: Random) {
  const phrases = phrasesOf(language)
  const mixed = shuffled(random, names)
  const filled = (phrase: string | undefined, name: string, value = '') =>
    (phrase ?? '').replaceAll('{name}', name).replaceAll('{value}', value)
  const facts = phrases.map(([says, ...asking], at): ToolFact => {
    const name = mixed[at] ?? ''
    const value = values[at]?.(random) ?? ''
    const [asks = '', asksOtherwise = ''] = asking.map((one) =>
      filled(one, name),
    )
    const sentence = filled(says, name, value)
    return { sentence, asked: { asks, asksOtherwise, answer: value } }
  })
  /** Another draw each time. */
  const other = (dice: Random): string => {
    const at = dice.between(0, phrases.length - 1)
    const name = dice.pick(mixed.slice(phrases.length))
    return filled(phrases[at]?.[0], name, values[at]?.(dice))
  }
  return { facts, other }
}
