import type { Finding, SecretFinder } from '@precis/core'
import { isWord } from './chars.ts'
import { type Format, formats } from './formats.ts'
import { entropy } from './judge.ts'
import type { NearFinder } from './near.ts'

/** Finds tokens by their beginnings, where no word goes on. The longest beginning goes first. */
export function tokenFinder(table: readonly Format[] = formats): NearFinder {
  const known = table
    .flatMap(({ tag, starts, rest }) => starts.map((start) => ({ tag, start, rest: new RegExp(`(?:${rest})(?![A-Za-z0-9])`, 'y') })))
    .sort((a, b) => b.start.length - a.start.length)
  const byPair = new Map<string, typeof known>()
  for (const one of known) {
    const pair = one.start.slice(0, 2)
    byPair.set(pair, [...(byPair.get(pair) ?? []), one])
  }
  return {
    near: known.map(({ start }) => start.toLowerCase()).join('|'),
    find(text, places) {
      const found: Finding[] = []
      for (const at of places) {
        if (isWord(text.charCodeAt(at - 1))) continue
        const one = byPair.get(text.slice(at, at + 2))?.find(({ start, rest }) => {
          rest.lastIndex = at + start.length
          return text.startsWith(start, at) && rest.test(text)
        })
        if (one === undefined) continue
        const end = one.rest.lastIndex
        if (isReal(text.slice(at + one.start.length, end))) found.push({ start: at, end, tag: one.tag })
      }
      return found
    },
  }
}

/** Keys of two halves, which nothing but the sign between them gives away. */
const halves: readonly (readonly [tag: string, first: RegExp, second: RegExp])[] = [
  // fal: a UUID and a secret, https://fal.ai/docs/documentation/setting-up/authentication
  ['fal-key', /(?<![A-Za-z0-9-])[a-f0-9]{8}(?:-[a-f0-9]{4}){3}-[a-f0-9]{12}$/, /:[a-f0-9]{32}(?![A-Za-z0-9])/y],
  // Zhipu (Z.ai): an id and a secret, https://docs.bigmodel.cn/cn/api/introduction
  ['zhipu-key', /(?<![\w.-])[a-f0-9]{32}$/, /\.(?=[a-z0-9]{0,15}[A-Z])(?=[A-Z0-9]{0,15}[a-z])[A-Za-z0-9]{16}(?![\w.-])/y],
]
const middle = /(?<=[a-f0-9]{4})[.:][A-Za-z0-9]{16}/g
/** Characters in front of the sign that are looked at: the longest first half, and one more. */
const longestFirst = 37

export const halvesFinder: SecretFinder = {
  *find(text) {
    for (const { index } of text.matchAll(middle))
      for (const [tag, first, second] of halves) {
        second.lastIndex = index
        if (!second.test(text)) continue
        const [before] = first.exec(text.slice(Math.max(0, index - longestFirst), index)) ?? []
        if (before !== undefined && entropy(before) >= leastEntropy) yield { start: index - before.length, end: second.lastIndex, tag }
      }
  },
}

/** Least bits per character of what a provider made at random; documents write `xxxx` and `1234`. */
const leastEntropy = 2

function isReal(rest: string): boolean {
  return (
    !/x{6}|X{6}|\.{3}|\*{3}|(?:EXAMPLE|example)$|0{8}|1234567890|_here$|your_/.test(rest) &&
    !/^[a-z]+(?:[-_][a-z]+)+$/.test(rest) &&
    (rest.length > 50 || entropy(rest) >= leastEntropy)
  )
}
