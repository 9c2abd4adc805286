// Sessions that a generator writes, so that what was said is known exactly: outputs full of names and numbers, a fact in each, a user who states more.
import { seeded } from '../aggregate.ts'
import type { RecordedMessage } from './transcripts.ts'

/** Something that was said once, and what of it must be found again. */
export interface Fact {
  readonly kind: string
  readonly value: string
  readonly sentence: string
  readonly subject: string
  /** What somebody asks who needs it. */
  readonly question: string
  /** The same in other words: other endings, another order, some that were never said. */
  readonly otherwise: string
}

export interface Dice {
  between(low: number, high: number): number
  pick<T>(from: readonly T[]): T
}

export function diceOf(seed: number): Dice {
  const next = seeded(seed)
  return {
    between: (low, high) => low + Math.floor(next() * (high - low + 1)),
    pick: (from) => from[Math.floor(next() * from.length)] as (typeof from)[number],
  }
}

const places = 'harbor orchard lantern meadow granite willow cobalt juniper saffron canyon falcon ember glacier thicket marble pepper'.split(' ')
const things = 'billing search invoice upload export payment catalog report mailer archive gateway scheduler ledger tenant webhook session'.split(' ')
const verbs = 'parse load merge retry cache flush index render encode route sync validate'.split(' ')

const word = (dice: Dice): string => `${dice.pick(places)}-${dice.pick(things)}`
const camel = (dice: Dice): string => `${dice.pick(verbs)}${capital(dice.pick(things))}${capital(dice.pick(places))}`
const file = (dice: Dice): string => `src/${dice.pick(things)}/${dice.pick(verbs)}-${dice.pick(places)}.ts`
const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

/** A fact of each kind in turn; no two of one session speak of the same thing. */
export function factOf(number: number, dice: Dice): Fact {
  const subject = `${places[number % places.length]} ${things[Math.floor(number / places.length + number * 3) % things.length]}`
  const code = `${dice.pick(['KX', 'RV', 'ZT'])}-${dice.between(10_000, 99_999)}`
  const port = `${dice.between(20_000, 64_999)}`
  const path = `/srv/${dice.pick(places)}/${dice.pick(things)}-${dice.between(100, 999)}.pem`
  const option = `--${dice.pick(verbs)}-${dice.pick(places)}-${dice.between(10, 99)}`
  const choice = `${dice.pick(['Kor', 'Vel', 'Tam', 'Bru'])}${dice.pick(['vex', 'dano', 'lith', 'quin'])}${dice.between(10, 99)}`
  const facts: readonly Omit<Fact, 'subject'>[] = [
    {
      kind: 'id',
      value: code,
      sentence: `The contract of the ${subject} is filed under ${code}.`,
      question: `Under which number is the contract of the ${subject} filed?`,
      otherwise: `contract filing number, ${subject}`,
    },
    {
      kind: 'port',
      value: port,
      sentence: `Since the move the ${subject} answers on port ${port}.`,
      question: `On which port does the ${subject} answer since the move?`,
      otherwise: `What port is ${subject} answering on after moving?`,
    },
    {
      kind: 'path',
      value: path,
      sentence: `Certificates of the ${subject} are kept in ${path} now.`,
      question: `Where are certificates of the ${subject} kept?`,
      otherwise: `certificate location for ${subject}`,
    },
    {
      kind: 'option',
      value: option,
      sentence: `Retries of the ${subject} are switched off with ${option} alone.`,
      question: `What switches off retries of the ${subject}?`,
      otherwise: `How do I switch off retrying in ${subject}?`,
    },
    {
      kind: 'error',
      value: code,
      sentence: `The ${subject} import stops with ${code} when a column is empty.`,
      question: `With what does the ${subject} import stop when a column is empty?`,
      otherwise: `error code when ${subject} imports stopped at empty columns`,
    },
    {
      kind: 'decision',
      value: choice,
      sentence: `For the ${subject} we settled on ${choice} after the review.`,
      question: `What did we settle on for the ${subject} after the review?`,
      otherwise: `Which one was settled for ${subject} in the reviews?`,
    },
  ]
  return { ...(facts[number % facts.length] as Omit<Fact, 'subject'>), subject }
}

/** About a thousand tokens of what tools print: logs, code, listings, test runs. */
export function noiseOf(dice: Dice, characters = 3_900): readonly string[] {
  const kinds: readonly (() => string)[] = [
    () =>
      `2026-0${dice.between(1, 9)}-1${dice.between(0, 9)}T0${dice.between(1, 9)}:${dice.between(10, 59)}:${dice.between(10, 59)}Z INFO ${word(dice)} ${dice.pick(verbs)} took ${dice.between(2, 900)} ms, request ${dice.between(100_000, 999_999)}`,
    () => `  const ${camel(dice)} = await ${camel(dice)}(${dice.pick(things)}, { limit: ${dice.between(1, 500)} })`,
    () => `-rw-r--r-- 1 dev dev ${dice.between(200, 90_000)} Mar ${dice.between(1, 28)} 1${dice.between(0, 9)}:${dice.between(10, 59)} ${file(dice)}`,
    () => ` ✓ ${file(dice)} > ${dice.pick(verbs)}s the ${dice.pick(things)} of ${word(dice)} (${dice.between(1, 80)} ms)`,
  ]
  const kind = dice.pick(kinds)
  const lines: string[] = []
  for (let size = 0; size < characters; size += (lines.at(-1)?.length ?? 0) + 1) lines.push(dice.between(0, 9) === 0 ? dice.pick(kinds)() : kind())
  return lines
}

/** A call with its output; `said` stands on a line of its own in the middle of it. */
export function stepOf(id: string, dice: Dice, said?: string): readonly RecordedMessage[] {
  const path = file(dice)
  const [name, args] = dice.pick([
    ['read_file', { path }],
    ['run', { command: `npm run ${dice.pick(verbs)} -- ${path}` }],
    ['search', { query: camel(dice), path: 'src' }],
  ] as const)
  const lines = noiseOf(dice)
  const at = dice.between(5, lines.length - 5)
  const output = said === undefined ? lines : [...lines.slice(0, at), said, ...lines.slice(at)]
  return [
    { role: 'assistant', content: dice.between(0, 3) === 0 ? `Next I look at ${path}.` : '', toolCalls: [{ id, name, arguments: args }] },
    { role: 'tool', content: output.join('\n'), toolCallId: id, toolName: name },
  ]
}
