import type { Cut } from './cuts.ts'
import { contains, occurrences } from './entities.ts'
import { textOf, tokensOf } from './transcripts.ts'

export interface Score {
  readonly frr: number
  readonly inContext: number
  readonly passage: number
  /** Of the needles outside the newest messages that would fit the budget; undefined when there are none. */
  readonly far: number | undefined
  readonly tailKept: number
  /** Share of the prefix's tokens that was used. */
  readonly used: number
  readonly overBudget: boolean
  readonly errors: { readonly kept: number; readonly all: number }
}

/** What a strategy made of the prefix: the texts that the model would read, in order. */
export type Compacted = readonly string[]

export function scoreOf(cut: Cut, output: Compacted, budget: number): Score {
  const prefix = cut.prefix.map(textOf)
  const before = prefix.join('\n')
  const after = output.join('\n')
  const flatAfter = collapse(after)
  const tail = tailFrom(prefix, budget)
  const fifo = prefix.slice(tail).join('\n')
  let hits = 0
  let context = 0
  let passages = 0
  let far = 0
  let farHits = 0
  const errors = { kept: 0, all: 0 }
  for (const { text, kind } of cut.needles) {
    const places = occurrences(after, text)
    const hit = places.length > 0
    if (hit) hits++
    if (hit && inContext(after, places, before, text)) context++
    if (hit && prefix.some((message) => inPassage(flatAfter, message, text))) passages++
    if (kind === 'error') {
      errors.all++
      if (hit) errors.kept++
    }
    if (!contains(fifo, text)) {
      far++
      if (hit) farHits++
    }
  }
  const total = cut.needles.length
  const tokens = output.reduce((sum, text) => sum + tokensOf(text), 0)
  return {
    frr: hits / total,
    inContext: context / total,
    passage: passages / total,
    far: far === 0 ? undefined : farHits / far,
    tailKept: tailKept(prefix, after, budget),
    used: tokens / cut.tokens,
    overBudget: tokens > budget + 1,
    errors,
  }
}

/** At least three words of four letters or more near the hit also stand near one occurrence in the prefix. */
function inContext(after: string, places: readonly number[], before: string, entity: string): boolean {
  const origins = occurrences(before, entity).map((at) => new Set(wordsNear(before, at, entity.length)))
  return places.some((at) => {
    const near = wordsNear(after, at, entity.length)
    return origins.some((origin) => near.filter((word) => origin.has(word)).length >= Math.min(3, origin.size))
  })
}

function wordsNear(text: string, at: number, length: number): readonly string[] {
  const around = `${text.slice(Math.max(0, at - 80), at)} ${text.slice(at + length, at + length + 80)}`
  return [...new Set(around.match(/[A-Za-z]{4,}/g) ?? [])]
}

/** The name with forty characters of its message on each side, word for word. */
function inPassage(flatAfter: string, message: string, entity: string): boolean {
  return occurrences(message, entity).some((at) => {
    const flat = collapse(message.slice(Math.max(0, at - 400), at + entity.length + 400))
    const place = flat.indexOf(collapse(entity))
    if (place < 0) return false
    const origin = collapse(message.slice(Math.max(0, at - 400), at))
    const left = origin.slice(-40)
    const right = collapse(message.slice(at + entity.length, at + entity.length + 400)).slice(0, 40)
    return [
      `${left} ${collapse(entity)} ${right}`,
      `${left}${collapse(entity)}${right}`,
      `${left} ${collapse(entity)}${right}`,
      `${left}${collapse(entity)} ${right}`,
    ].some((text) => flatAfter.includes(text.trim()))
  })
}

/** First message of the newest ones that together fit the budget. */
function tailFrom(prefix: readonly string[], budget: number): number {
  let spent = 0
  for (let at = prefix.length - 1; at >= 0; at--) {
    spent += tokensOf(prefix[at] as string)
    if (spent > budget) return at + 1
  }
  return 0
}

/** Share, by characters, of the newest messages that fit 15 % of the budget and stand there word for word. */
function tailKept(prefix: readonly string[], after: string, budget: number): number {
  const from = Math.min(prefix.length - 1, tailFrom(prefix, budget * 0.15))
  let all = 0
  let kept = 0
  for (const text of prefix.slice(from)) {
    if (tokensOf(text) > budget * 0.15) continue
    all += text.length + 1
    if (text.split('\n').every((line) => after.includes(line))) kept += text.length + 1
  }
  return all === 0 ? 1 : kept / all
}

function collapse(text: string): string {
  return text.replace(/\s+/g, ' ').trim()
}
