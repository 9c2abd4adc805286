import type { Outcome, Score } from './measures/score.ts'

/** One cut of one session under one strategy. */
export interface Scored {
  readonly session: string
  readonly domain: string
  readonly score: Score
}

/** Figures of one strategy at one budget, in percent: means over sessions. */
export interface Figures {
  readonly primary: number
  /** 95 % interval of the primary figure, sessions drawn again a thousand times. */
  readonly interval: readonly [low: number, high: number]
  readonly recall: number
  readonly inContext: number
  readonly passage: number
  /** Passages compared by letters and digits alone. */
  readonly letters: number
  readonly far: number
  readonly tailKept: number
  readonly used: number
  /** Share of the error lines among the names that are still there, and how many there were. */
  readonly errors: { readonly kept: number; readonly of: number }
  /** Of the cuts: over budget, unpaired calls or results, first or newest request not word for word, nothing kept at all. */
  readonly over: number
  readonly unpaired: number
  readonly requestsLost: number
  readonly nothing: number
  /** Share of the names still there, by kind and by domain. */
  readonly kinds: Readonly<Record<string, number>>
  readonly domains: Readonly<Record<string, number>>
  readonly sessions: readonly SessionFigures[]
}

/** What one session adds to the means. */
interface SessionFigures {
  readonly session: string
  readonly cuts: number
  readonly names: number
  readonly primary: number
  readonly passage: number
  readonly tailKept: number
}

type Pick = (score: Score) => number | undefined
const share =
  (pick: (outcome: Outcome) => boolean, of: (outcome: Outcome) => boolean = () => true): Pick =>
  ({ outcomes }) => {
    const all = outcomes.filter(of)
    return all.length === 0 ? undefined : all.filter(pick).length / all.length
  }
const recall = share(({ hit }) => hit)
const inContext = share(({ inContext }) => inContext)
const passage = share(({ passage }) => passage)
const letters = share(({ letters }) => letters)

export function figuresOf(scored: readonly Scored[]): Figures {
  const bySession = sessionsOf(scored)
  const sessions = [...bySession.values()]
  const mean = (pick: Pick): number => percent(average(sessions.map((scores) => meanOf(scores, pick)).filter((value) => value !== undefined)))
  const primaries = sessions.map((scores) => ((meanOf(scores, recall) ?? 0) + (meanOf(scores, inContext) ?? 0)) / 2)
  const outcomes = scored.flatMap(({ score }) => score.outcomes)
  const errors = outcomes.filter(({ kind }) => kind === 'error')
  const count = (test: (score: Score) => boolean): number => scored.filter(({ score }) => test(score)).length
  return {
    primary: percent(average(primaries)),
    interval: bootstrap(primaries),
    recall: mean(recall),
    inContext: mean(inContext),
    passage: mean(passage),
    letters: mean(letters),
    far: mean(
      share(
        ({ hit }) => hit,
        ({ far }) => far,
      ),
    ),
    tailKept: mean(({ tailKept }) => tailKept),
    used: mean(({ used }) => used),
    errors: { kept: percent(average(errors.map(({ hit }) => Number(hit)))), of: errors.length },
    over: count(({ overBudget }) => overBudget),
    unpaired: count(({ unpaired }) => unpaired > 0),
    requestsLost: count(({ requestsKept }) => !requestsKept),
    nothing: count(({ used }) => used === 0),
    kinds: sharesBy(outcomes.map((outcome) => [outcome.kind, outcome.hit])),
    domains: sharesBy(scored.flatMap(({ domain, score }) => score.outcomes.map(({ hit }) => [domain, hit] as const))),
    sessions: [...bySession].map(([session, scores], at) => ({
      session,
      cuts: scores.length,
      names: scores.reduce((sum, { outcomes }) => sum + outcomes.length, 0),
      primary: percent(primaries[at] ?? 0),
      passage: percent(meanOf(scores, passage) ?? 0),
      tailKept: percent(meanOf(scores, ({ tailKept }) => tailKept) ?? 0),
    })),
  }
}

function sessionsOf(scored: readonly Scored[]): ReadonlyMap<string, readonly Score[]> {
  const sessions = new Map<string, Score[]>()
  for (const { session, score } of scored) sessions.set(session, [...(sessions.get(session) ?? []), score])
  return sessions
}

function meanOf(scores: readonly Score[], pick: Pick): number | undefined {
  const values = scores.map(pick).filter((value) => value !== undefined)
  return values.length === 0 ? undefined : average(values)
}

function sharesBy(pairs: readonly (readonly [name: string, hit: boolean])[]): Readonly<Record<string, number>> {
  const names = [...new Set(pairs.map(([name]) => name))].sort()
  return Object.fromEntries(names.map((name) => [name, percent(average(pairs.filter((pair) => pair[0] === name).map((pair) => Number(pair[1]))))]))
}

/** The middle 95 % of a thousand means of sessions drawn with replacement, from a fixed seed. */
export function bootstrap(values: readonly number[]): readonly [number, number] {
  const random = seeded(20_261)
  const means = Array.from({ length: 1_000 }, () => average(values.map(() => values[Math.floor(random() * values.length)] ?? 0))).sort((a, b) => a - b)
  return [percent(means[25] ?? 0), percent(means[974] ?? 0)]
}

/** Numbers from 0 to 1, the same for the same seed (mulberry32). */
export function seeded(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

export function average(values: readonly number[]): number {
  return values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length
}

function percent(share: number): number {
  return Math.round(share * 1_000) / 10
}
