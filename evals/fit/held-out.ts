// What was fitted, on whole repositories and whole months that it was not fitted on.
import { average, figuresOf, type Scored } from '../aggregate.ts'
import { scoreOf } from '../measures/score.ts'
import { type Cut, cutsOf } from '../sessions/cuts.ts'
import { monthOf, repositoryOf } from '../sessions/repositories.ts'
import type { Recorded } from '../sessions/transcripts.ts'
import { precis } from '../ways/strategies.ts'
import { regress, type Sample, samplesOf } from './fit-names.ts'
import { type Fitted, vary } from './vary.ts'

const shares = [0.05, 0.1, 0.25] as const
/** Most points that the primary figure may lose where nothing of a repository (or month) was seen. */
export const mostGap = 2

/** One way to hold sessions out, at one budget on one set: means over sessions in percent. */
export interface Gap {
  readonly what: string
  readonly set: string
  readonly heldOut: string
  readonly groups: number
  readonly sessions: number
  readonly budget: string
  readonly fitted: number
  readonly unseen: number
  readonly gap: number
}

type Grouping = (transcripts: readonly Recorded[]) => (transcript: Recorded) => string | undefined
const groupings: Readonly<Record<string, Grouping>> = {
  repositories: () => repositoryOf,
  // Where a repository has one month alone, to hold out the one is to hold out the other.
  months: (transcripts) => {
    const months = new Map<string, Set<string>>()
    for (const one of transcripts) {
      const month = monthOf(one)
      if (month !== undefined) months.set(repositoryOf(one), (months.get(repositoryOf(one)) ?? new Set()).add(month))
    }
    return (transcript) => ((months.get(repositoryOf(transcript))?.size ?? 0) > 1 ? monthOf(transcript) : undefined)
  },
}
const coding = new Set(['claude-code', 'claude-code-agentv', 'pi'])
const setOf = (cut: Cut): string => (coding.has(cut.transcript.set) ? 'coding' : 'short and other domains')

type Scores = ReadonlyMap<Cut, readonly Scored[]>

/** Each cut at every share, with the library as it is now. */
async function scoresOf(cuts: readonly Cut[]): Promise<Scores> {
  const scores = new Map<Cut, readonly Scored[]>()
  for (const cut of cuts) {
    const own: Scored[] = []
    for (const share of shares) {
      const budget = Math.floor(cut.tokens * share)
      own.push({ session: cut.transcript.id, domain: cut.transcript.domain, score: scoreOf(cut, await precis(cut, budget), budget) })
    }
    scores.set(cut, own)
  }
  return scores
}

function primaryAt(scores: Scores, at: number): number {
  return figuresOf([...scores.values()].flatMap((own) => own.slice(at, at + 1))).primary
}

/** Groups with the cuts in them; sessions that belong to none are left out. */
function grouped(cuts: readonly Cut[], group: ReturnType<Grouping>): ReadonlyMap<string, readonly Cut[]> {
  const groups = new Map<string, Cut[]>()
  for (const cut of cuts) {
    const name = group(cut.transcript)
    if (name !== undefined) groups.set(name, [...(groups.get(name) ?? []), cut])
  }
  return groups
}

/** Weights of names, fitted on all and on all but one group at a time. */
export async function gapsOfNames(transcripts: readonly Recorded[]): Promise<readonly Gap[]> {
  const cuts = transcripts.flatMap((one) => cutsOf(one))
  const samples = samplesOf(transcripts)
  const all = await withFitted({ weights: regress(samples) }, () => scoresOf(cuts))
  const gaps: Gap[] = []
  for (const [heldOut, group] of Object.entries(groupings)) {
    const groups = grouped(cuts, group(transcripts))
    const unseen = new Map<Cut, readonly Scored[]>()
    for (const own of groups.values()) {
      const sessions = new Set(own.map((cut) => cut.transcript.id))
      const others: readonly Sample[] = samples.filter((sample) => !sessions.has(sample.session))
      for (const [cut, scored] of await withFitted({ weights: regress(others) }, () => scoresOf(own))) unseen.set(cut, scored)
    }
    gaps.push(...gapsBetween('weights of names', heldOut, groups, new Map([...all].filter(([cut]) => unseen.has(cut))), unseen))
  }
  return gaps
}

/** Widths that were tried: as they are shipped, and around that. */
const tried: readonly NonNullable<Fitted['widths']>[] = [
  { longestLine: 120, longestStretch: 48 },
  { longestLine: 80, longestStretch: 48 },
  { longestLine: 100, longestStretch: 80 },
  { longestLine: 120, longestStretch: 32 },
  { longestLine: 120, longestStretch: 100 },
  { longestLine: 160, longestStretch: 48 },
]

/** Widths of surroundings, chosen for all and for all but one group at a time: the best by the mean of the primary figure and the passage. */
export async function gapsOfWidths(transcripts: readonly Recorded[]): Promise<readonly Gap[]> {
  const cuts = transcripts.flatMap((one) => cutsOf(one))
  const runs: Scores[] = []
  for (const widths of tried) runs.push(await withFitted({ widths }, () => scoresOf(cuts)))
  const worth = (scores: Scores, some: readonly Cut[]): number => {
    const { primary, passage } = figuresOf(some.flatMap((cut) => scores.get(cut) ?? []))
    return primary + passage
  }
  const best = (some: readonly Cut[]): Scores => runs.reduce((winner, run) => (worth(run, some) > worth(winner, some) ? run : winner))
  return Object.entries(groupings).flatMap(([heldOut, group]) => {
    const groups = grouped(cuts, group(transcripts))
    const within = [...groups.values()].flat()
    const unseen = new Map<Cut, readonly Scored[]>()
    for (const own of groups.values()) {
      const chosen = best(within.filter((cut) => !own.includes(cut)))
      for (const cut of own) unseen.set(cut, chosen.get(cut) ?? [])
    }
    const chosen = best(within)
    return gapsBetween('lengths of lines', heldOut, groups, new Map(within.map((cut) => [cut, chosen.get(cut) ?? []])), unseen)
  })
}

function gapsBetween(what: string, heldOut: string, groups: ReadonlyMap<string, readonly Cut[]>, fitted: Scores, unseen: Scores): readonly Gap[] {
  return [...new Set([...unseen.keys()].map(setOf))].flatMap((set) => {
    const own = (scores: Scores): Scores => new Map([...scores].filter(([cut]) => setOf(cut) === set))
    const sessions = new Set([...own(unseen).keys()].map((cut) => cut.transcript.id)).size
    const count = [...groups.values()].filter((cuts) => cuts.some((cut) => setOf(cut) === set)).length
    return shares.map((share, at): Gap => {
      const [seen, blind] = [primaryAt(own(fitted), at), primaryAt(own(unseen), at)]
      return { what, set, heldOut, groups: count, sessions, budget: `${share * 100} %`, fitted: seen, unseen: blind, gap: Math.round((seen - blind) * 10) / 10 }
    })
  })
}

async function withFitted<T>(fitted: Fitted, run: () => Promise<T>): Promise<T> {
  vary(fitted)
  try {
    return await run()
  } finally {
    vary({})
  }
}

/** Mean gap, for a line beneath the table. */
export function meanGap(gaps: readonly Gap[]): number {
  return Math.round(average(gaps.map(({ gap }) => gap)) * 10) / 10
}
