import { more } from '../front/cost.ts'
import type { Answered, Run, TalkRun } from './run.ts'

const readers: readonly (readonly [Run['reader'], string])[] = [
  ['off', 'without recall'],
  ['everything', 'looks everything up'],
  ['needed', 'looks up where it sees nothing'],
]

const kinds: readonly (readonly [Answered['kind'], string])[] = [
  ['kept', 'never changed'],
  ['changed', 'changed'],
  ['tool', 'said by tools'],
]

/** Share of questions answered right: in the words of what was said, in others. */
function rightOf(answered: readonly Answered[], kind: Answered['kind']) {
  const [own, others] = [false, true].map((isOtherwise) => {
    const asked = answered.filter(
      (one) => one.kind === kind && one.otherwise === isOtherwise,
    )
    const right = asked.filter(({ sight }) => sight === 'right').length
    return asked.length === 0
      ? undefined
      : `${Math.round((right / asked.length) * 100)} %`
  })
  return own === undefined ? '–' : `${own}, ${others}`
}

const sumOf = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0)

function answersOf(runs: readonly Run[]): readonly string[] {
  const answered = runs.flatMap((run) => run.answered)
  const wrong = (['none', 'stale', 'order'] as const).map(
    (sight) => answered.filter((one) => one.sight === sight).length,
  )
  return [
    `${answered.length}`,
    ...kinds.map(([kind]) => rightOf(answered, kind)),
    wrong.join(', '),
  ]
}

const answers = [
  'questions',
  ...kinds.map(([, title]) => title),
  'wrong: nothing seen, only the old value, the old value last',
]

const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`

const table = (
  left: readonly string[],
  right: readonly string[],
  rows: readonly (readonly string[])[],
): string =>
  [
    line([...left, ...right]),
    line([...left.map(() => '---'), ...right.map(() => '--:')]),
    ...rows.map(line),
  ].join('\n')

const ofReader = (had: readonly TalkRun[], reader: Run['reader']) =>
  had.flatMap(({ runs }) => runs.filter((run) => run.reader === reader))

function doorRow(
  door: string,
  had: readonly TalkRun[],
  [reader, title]: (typeof readers)[number],
): readonly string[] {
  const [runs, without] = [ofReader(had, reader), ofReader(had, 'off')]
  const answered = runs.flatMap((run) => run.answered)
  const lookUps = sumOf(answered.map((one) => one.lookUps)) / answered.length
  const pairs = runs.flatMap((run, at): [number, number][] => {
    const off = without[at]
    const isWhole = run.died === undefined && off?.died === undefined
    return off === undefined || !isWhole
      ? []
      : [[off.cost.prompt, run.cost.prompt]]
  })
  const compactions = runs.map((run) => run.compactions)
  return [
    door,
    title,
    `${runs.length}`,
    ...answersOf(runs),
    reader === 'off' ? '–' : lookUps.toFixed(2),
    reader === 'off' || pairs.length === 0 ? '–' : more(pairs),
    `${sumOf(runs.map(({ refused }) => refused))}`,
    `${runs.filter(({ died }) => died !== undefined).length}`,
    `${Math.min(...compactions)}–${Math.max(...compactions)}`,
  ]
}

/** One row a door and reader, and for all doors together. */
export function doorTable(had: readonly TalkRun[]): string {
  const names = [...new Set(had.map(({ door }) => door))]
  const own = names.flatMap((name) => {
    const through = had.filter(({ door }) => door === name)
    return readers.map((reader) => doorRow(name, through, reader))
  })
  const all = readers.map((reader) => doorRow('**all**', had, reader))
  return table(
    ['door', 'who reads'],
    [
      'talks',
      ...answers,
      'look-ups a question',
      'prompt tokens',
      'refused',
      'died',
      'compactions',
    ],
    [...own, ...all],
  )
}

const baseOf = ({ language }: TalkRun): string => language.split('-')[0] ?? ''

/** The same by the language in which people spoke. */
export function languageTable(had: readonly TalkRun[]): string {
  const languages = [...new Set(had.map(baseOf))].sort()
  const rows = languages.flatMap((language) => {
    const own = had.filter((one) => baseOf(one) === language)
    const talks = new Set(own.map(({ talk }) => talk)).size
    return readers.map(([reader, title]) => [
      language,
      title,
      `${talks}`,
      ...answersOf(ofReader(own, reader)),
    ])
  })
  return table(['language', 'who reads'], ['talks', ...answers], rows)
}

const longest = 300
const cut = (text: string): string =>
  text.length > longest ? `${text.slice(0, longest)}…` : text

/** Each question that was answered wrong, with what its request showed. */
export const wrongOnes = (had: readonly TalkRun[]): readonly string[] =>
  had.flatMap(({ door, talk, runs }) =>
    runs
      .filter(({ reader }) => reader !== 'off')
      .flatMap(({ reader, answered }) =>
        answered
          .filter(({ sight }) => sight !== 'right')
          .map(({ asks, kind, otherwise, sight, lookUps, now, before }) =>
            [
              `${sight}: ${door}, ${talk}, ${reader}, ${kind}${otherwise ? ', other words' : ''}, look-ups ${lookUps}: ${asks}`,
              ...(now === undefined ? [] : [`  now: ${cut(now)}`]),
              ...(before === undefined ? [] : [`  before: ${cut(before)}`]),
            ].join('\n'),
          ),
      ),
  )
