// What others do, written anew in its simplest honest form, and two bounds that know the future.

import { entitiesOf, occurrences } from '@precis/cli/replay'
import { seeded } from '../aggregate.ts'
import type { Compacted } from '../measures/score.ts'
import type { Cut } from '../sessions/cuts.ts'
import { type RecordedMessage, textOf, tokensOf } from '../sessions/transcripts.ts'

export type Strategy = (cut: Cut, budget: number) => Compacted | Promise<Compacted>

const placeholder = '[output cleared]'

/** Calls with their answers, as indices of the prefix. */
function groupsOf({ prefix }: Cut): readonly (readonly number[])[] {
  const groups: number[][] = []
  prefix.forEach((message, at) => {
    if (message.role === 'tool' && groups.length > 0) groups.at(-1)?.push(at)
    else groups.push([at])
  })
  return groups
}

function cost(texts: readonly string[]): number {
  return texts.reduce((sum, text) => sum + tokensOf(text), 0)
}

/** The newest whole groups of some texts that fit. */
function newest(cut: Cut, texts: readonly string[], budget: number): readonly string[] {
  const kept: number[] = []
  let left = budget
  for (const group of groupsOf(cut).toReversed()) {
    const tokens = cost(group.map((at) => texts[at] as string))
    if (tokens > left) break
    left -= tokens
    kept.unshift(...group)
  }
  return kept.map((at) => texts[at] as string)
}

const fifo: Strategy = (cut, budget) => ({ texts: newest(cut, cut.prefix.map(textOf), budget) })

const fifoTruncated: Strategy = (cut, budget) => {
  const whole = newest(cut, cut.prefix.map(textOf), budget)
  const boundary = cut.prefix[cut.prefix.length - whole.length - 1]
  const left = budget - cost(whole) - 8
  if (boundary === undefined || left < 20) return { texts: whole }
  return { texts: [textOf(boundary).slice(-left * 4), ...whole] }
}

const randomGroups: Strategy = (cut, budget) => {
  const random = seeded(cut.tokens)
  const order = groupsOf(cut)
    .map((group) => ({ group, key: random() }))
    .sort((a, b) => a.key - b.key)
  const kept: number[] = []
  let left = budget
  for (const { group } of order) {
    const tokens = cost(group.map((at) => textOf(cut.prefix[at] as RecordedMessage)))
    if (tokens > left) continue
    left -= tokens
    kept.push(...group)
  }
  return { texts: kept.sort((a, b) => a - b).map((at) => textOf(cut.prefix[at] as RecordedMessage)) }
}

/** The largest setting at which the texts fit; beyond the smallest, the oldest groups go. */
function fitted(cut: Cut, budget: number, highest: number, textsAt: (setting: number) => readonly string[]): Compacted {
  let low = 0
  let high = highest
  while (high - low > 1) {
    const middle = (low + high) >> 1
    if (cost(textsAt(middle)) <= budget) low = middle
    else high = middle
  }
  return { texts: newest(cut, textsAt(low), budget) }
}

/** Outputs cleared but for those of so many newest steps; fitted, it is the same as a limit in tokens. */
const masked: Strategy = (cut, budget) =>
  fitted(cut, budget, cut.prefix.length + 1, (steps) => {
    let seen = 0
    return cut.prefix
      .toReversed()
      .map((message) => (message.role === 'tool' && ++seen > steps ? placeholder : textOf(message)))
      .reverse()
  })

const headTail: Strategy = (cut, budget) =>
  fitted(cut, budget, 40_000, (limit) =>
    cut.prefix.map((message) => {
      const text = textOf(message)
      return message.role !== 'tool' || text.length <= Math.max(40, limit)
        ? text
        : `${text.slice(0, Math.max(40, limit) / 2)}\n…\n${text.slice(-Math.max(40, limit) / 2)}`
    }),
  )

/** Names alone, newest first, as many as fit. */
function bareList(cut: Cut, budget: number): string {
  const names = new Set<string>()
  for (const message of cut.prefix.toReversed()) for (const name of entitiesOf(textOf(message)).keys()) names.add(name)
  let list = ''
  for (const name of names) if (tokensOf(`${list}\n${name}`) <= budget) list += `\n${name}`
  return list
}

const listOnly: Strategy = (cut, budget) => ({ texts: [bareList(cut, budget)] })

const fifoAndList: Strategy = (cut, budget) => {
  const texts = newest(cut, cut.prefix.map(textOf), budget * 0.75)
  return { texts: [bareList(cut, budget - cost(texts)), ...texts] }
}

/** Whole groups with the most needles a token: it has seen the future. */
const oracleGroups: Strategy = (cut, budget) => {
  const groups = groupsOf(cut).map((group) => group.map((at) => textOf(cut.prefix[at] as RecordedMessage)))
  const kept = new Set<number>()
  const found = new Set<string>()
  for (let left = budget; ; ) {
    let best = -1
    let most = 0
    groups.forEach((texts, at) => {
      if (kept.has(at) || cost(texts) > left) return
      const fresh = cut.needles.filter(({ text }) => !found.has(text) && texts.some((one) => occurrences(one, text, 1).length > 0)).length
      if (fresh / cost(texts) > most) [best, most] = [at, fresh / cost(texts)]
    })
    if (best < 0) break
    kept.add(best)
    left -= cost(groups[best] as string[])
    for (const { text } of cut.needles) if (groups[best]?.some((one) => occurrences(one, text, 1).length > 0)) found.add(text)
  }
  return { texts: [...kept].sort((a, b) => a - b).flatMap((at) => groups[at] as string[]) }
}

/** Eighty characters on each side of one place of each needle. */
const oracleWindows: Strategy = (cut, budget) => {
  const texts: string[] = []
  let left = budget
  for (const { text } of cut.needles) {
    const source = cut.prefix.map(textOf).find((one) => occurrences(one, text, 1).length > 0) ?? ''
    const at = occurrences(source, text, 1)[0] ?? 0
    const window = source.slice(Math.max(0, at - 80), at + text.length + 80)
    // Joined into one message, so that four tokens are paid once.
    if (window.length / 4 > left - 4) continue
    left -= window.length / 4 + 1
    texts.push(window)
  }
  return { texts: [texts.join('\n…\n')] }
}

export const baselines: Readonly<Record<string, Strategy>> = {
  'FIFO, whole groups': fifo,
  'FIFO, boundary truncated': fifoTruncated,
  'random groups': randomGroups,
  'observation masking, fitted': masked,
  'head + tail of outputs, fitted': headTail,
  'FIFO 75 % + bare list': fifoAndList,
  'bare list': listOnly,
  'oracle, whole groups': oracleGroups,
  'oracle, windows': oracleWindows,
}
