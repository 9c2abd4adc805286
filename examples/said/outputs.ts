import { builtInEstimator } from '@precis/core'
import type { Random } from '@precis/testkit'

type Line = (random: Random, at: number) => string

const services = ['intake', 'mailer', 'ledger', 'thumbs', 'search', 'session']
const words =
  'window batch record handle folder margin header bucket cursor anchor filter pocket'.split(
    ' ',
  )

/** Lines as tools return them: a log, code, a listing, hits of a search. */
const kinds: Readonly<Record<string, Line>> = {
  log: (random, at) =>
    `2026-02-${10 + (at % 18)}T0${at % 10}:${10 + (at % 49)}:07Z INFO ${random.pick(services)} request ${random.between(1_000, 9_999)} done in ${random.between(3, 900)} ms`,
  ts: (random, at) =>
    `export const ${random.pick(words)}${at} = (${random.pick(words)}: number) => ${random.pick(words)}(${random.between(1, 99)}, ${at})`,
  list: (random, at) =>
    `-rw-r--r-- 1 user user ${random.between(200, 9_999)} Feb ${1 + (at % 28)} ${random.pick(words)}-${random.pick(words)}-${at}.txt`,
  hits: (random, at) =>
    `${at + 1}. ${random.pick(words)} and ${random.pick(words)} | example.org/${random.pick(words)}/${random.between(100, 999)} | read ${random.between(2, 900)} times`,
}

export const outputKinds = Object.keys(kinds)

/**
 * A text of 300 to 1,500 Tokens.
 *
 * @param notes Sentences that stand in its middle, each on a line of its own.
 */
export function outputOf(
  kind: string,
  notes: readonly string[],
  random: Random,
): string {
  const most = random.between(300, 1_500)
  const line = kinds[kind] as Line
  const lines: string[] = []
  let tokens = builtInEstimator.count(notes.join('\n'))
  for (let at = 0; tokens < most; at++) {
    const next = line(random, at)
    tokens += builtInEstimator.count(`${next}\n`)
    lines.push(next)
  }
  const middle = Math.floor(lines.length / 2)
  for (const [at, note] of notes.entries())
    lines.splice(middle + at * 3, 0, note)
  return lines.join('\n')
}
