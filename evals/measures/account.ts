import { bootstrap } from '../aggregate.ts'
import type { Cut } from '../sessions/cuts.ts'
import { textOf } from '../sessions/transcripts.ts'
import { statementsIn } from './false-statements.ts'
import { isFinding, statementsOf } from './findings.ts'
import { outlinesOf } from './outlines.ts'
import { pointersOf } from './pointers.ts'
import { requestsOf } from './requests.ts'
import type { Compacted } from './score.ts'
import { tailTokens } from './tail.ts'
import { type Source, sourceOf, wholeLinesOf } from './whole-lines.ts'
import { collapsed } from './wording.ts'

/** What a context is worth as a text. Shares from 0 to 1; undefined where there is nothing to judge. */
export interface AccountScore {
  /** The user's requests that are still there word for word. */
  readonly requests: number | undefined
  /** The assistant's sentences with a result, a cause or a choice that are still there word for word. */
  readonly findings: number | undefined
  /** All of the assistant's sentences. */
  readonly sentences: number | undefined
  /** Characters copied outside whole messages that stand in whole lines or sentences. */
  readonly wholeLines: number | undefined
  /** Declarations, imports and headings of files that were read and not edited since. */
  readonly outlines: number | undefined
  readonly pointers: number | undefined
  /** Newest messages word for word, as a share of what is aimed at, by tokens. */
  readonly tailShare: number
  /** Of the statements that code can check, those that are false. */
  readonly falsehoods: number | undefined
}

export type AccountMeasure = keyof AccountScore
export const accountMeasures: readonly AccountMeasure[] = ['requests', 'findings', 'sentences', 'wholeLines', 'outlines', 'pointers', 'tailShare', 'falsehoods']

interface Prepared {
  readonly prefix: readonly string[]
  readonly requests: readonly string[]
  readonly findings: readonly string[]
  readonly sentences: readonly string[]
  readonly heads: readonly string[]
  readonly pointers: readonly string[]
  readonly messages: ReadonlySet<string>
  readonly source: Source
}

const known = new WeakMap<Cut, Prepared>()

function prepare(cut: Cut): Prepared {
  const before = known.get(cut)
  if (before !== undefined) return before
  const prefix = cut.prefix.map(textOf)
  const sentences = statementsOf(cut.prefix)
  const prepared = {
    prefix,
    sentences,
    requests: requestsOf(cut.prefix),
    findings: sentences.filter(isFinding),
    heads: outlinesOf(cut.prefix).flatMap(({ heads }) => heads),
    pointers: pointersOf(cut.prefix),
    messages: new Set(prefix.map(collapsed)),
    source: sourceOf(prefix),
  }
  known.set(cut, prepared)
  return prepared
}

export function accountOf(cut: Cut, { texts, account = '', aim }: Compacted, budget: number): AccountScore {
  const { prefix, requests, findings, sentences, heads, pointers, messages, source } = prepare(cut)
  const flat = collapsed(texts.join('\n'))
  const kept = (all: readonly string[]): number | undefined => (all.length === 0 ? undefined : all.filter((text) => flat.includes(text)).length / all.length)
  let [copied, whole] = [0, 0]
  for (const text of texts) {
    if (messages.has(collapsed(text))) continue
    const found = wholeLinesOf(text, source)
    copied += found.copied
    whole += found.whole
  }
  const statements = account === '' ? [] : statementsIn(account, cut.prefix)
  return {
    requests: kept(requests),
    findings: kept(findings),
    sentences: kept(sentences),
    wholeLines: copied === 0 ? undefined : whole / copied,
    outlines: kept(heads),
    pointers: kept(pointers),
    tailShare: tailTokens(prefix, texts, aim ?? budget) / (aim ?? budget),
    falsehoods: statements.length === 0 ? undefined : statements.filter(({ isFalse }) => isFalse).length / statements.length,
  }
}

/** One figure in percent with its 95 % interval; undefined where no session has anything to judge. */
export interface Figure {
  readonly mean: number
  readonly interval: readonly [low: number, high: number]
  readonly sessions: number
}

/** Means over sessions, sessions drawn again a thousand times. */
export function accountFigures(
  scored: readonly { readonly session: string; readonly account: AccountScore }[],
): Readonly<Record<AccountMeasure, Figure | undefined>> {
  const figures = accountMeasures.map((measure) => [measure, figureOf(scored.map(({ session, account }) => [session, account[measure]]))] as const)
  return Object.fromEntries(figures) as Record<AccountMeasure, Figure | undefined>
}

/** The mean over sessions of each session's mean. */
export function figureOf(values: readonly (readonly [session: string, value: number | undefined])[]): Figure | undefined {
  const sessions = new Map<string, number[]>()
  for (const [session, value] of values) if (value !== undefined) sessions.set(session, [...(sessions.get(session) ?? []), value])
  const means = [...sessions.values()].map((own) => own.reduce((sum, value) => sum + value, 0) / own.length)
  if (means.length === 0) return undefined
  const mean = means.reduce((sum, value) => sum + value, 0) / means.length
  return { mean: Math.round(mean * 1_000) / 10, interval: bootstrap(means), sessions: means.length }
}
