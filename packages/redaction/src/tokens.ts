import type { Finding, SecretFinder } from '@precis/core'
import { type Format, formats } from './formats.ts'
import { entropy } from './judge.ts'

interface Known {
  readonly tag: string
  readonly start: string
  readonly rest: RegExp
}

/** Finds tokens by their beginnings: one look through the text for all of them, then one at what follows. */
export function tokenFinder(table: readonly Format[] = formats): SecretFinder {
  const byStart = new Map<string, Known[]>()
  for (const { tag, starts, rest } of table) {
    // Nothing may follow that could belong to a word; signs may.
    const compiled = new RegExp(`(?:${rest})(?![A-Za-z0-9])`, 'y')
    for (const start of starts) byStart.set(start, [...(byStart.get(start) ?? []), { tag, start, rest: compiled }])
  }
  const escaped = [...byStart.keys()].sort((a, b) => b.length - a.length).map((start) => start.replace(/[.*+?^${}()|[\]\\/-]/g, '\\$&'))
  const beginning = new RegExp(`(?<![A-Za-z0-9])(?:${escaped.join('|')})`, 'g')
  const lengths = [...new Set([...byStart.keys()].map((start) => start.length))].sort((a, b) => b - a)
  return {
    find(text) {
      const found: Finding[] = []
      for (const { index } of text.matchAll(beginning)) {
        for (const length of lengths) {
          const known = byStart.get(text.slice(index, index + length))?.find((one) => fits(one, text, index))
          if (known === undefined) continue
          const end = known.rest.lastIndex
          if (isReal(text.slice(index + length, end))) found.push({ start: index, end, tag: known.tag })
          break
        }
      }
      return found
    },
  }
}

function fits({ start, rest }: Known, text: string, index: number): boolean {
  rest.lastIndex = index + start.length
  return rest.test(text)
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
