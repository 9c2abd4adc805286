// Puts the newest figures of `npm run evals`, its replay, its recorded summaries and what was held out into docs/evidence.md, between their marks.
import { existsSync, readFileSync } from 'node:fs'

const read = (name) => (existsSync(`evals/results/${name}.json`) ? JSON.parse(readFileSync(`evals/results/${name}.json`, 'utf8')) : undefined)
const table = (rows) => [rows[0], rows[0].map(() => '---'), ...rows.slice(1)].map((cells) => `| ${cells.join(' | ')} |`).join('\n')

/** One row a strategy, one column a budget: primary / passage (the passage by letters and digits alone). */
function recallTable(rows, set, budgets) {
  const own = rows.filter((row) => row.set === set)
  const cell = (row) =>
    row === undefined
      ? '–'
      : `${row.primary} / ${row.passage}${row.letters === row.passage ? '' : ` (${row.letters})`}${row.over > 0 ? ` (${row.over} over budget)` : ''}`
  const names = [...new Set(own.map((row) => row.strategy))]
  const line = (name) => [name, ...budgets.map((budget) => cell(own.find((row) => row.strategy === name && row.budget === budget)))]
  return table([['primary / passage', ...budgets], ...names.map((name) => (name.startsWith('Précis') ? line(name).map((text) => `**${text}**`) : line(name)))])
}

function replayTable(rows) {
  const windows = [...new Set(rows.map((row) => row.window))]
  const policies = [...new Set(rows.map((row) => row.policy))]
  const cell = (row) => (row === undefined ? '–' : `${row.cost} / ${row['cost, mean of sessions']} / ${row.recall}`)
  return table([
    ['cost of all / mean of sessions / recall', ...windows],
    ...policies.map((policy) => [policy, ...windows.map((window) => cell(rows.find((row) => row.policy === policy && row.window === window)))]),
  ])
}

const asTable = (rows) => table([Object.keys(rows[0]), ...rows.map((row) => Object.values(row))])

const bold = (line, ours) => (ours ? line.map((text) => `**${text}**`) : line)
const mean = (figure) => (figure == null ? '–' : `${figure.mean}`)
const whole = (figure) => (figure == null ? '–' : `${figure.mean} (${figure.interval.join('–')})`)

/** One row a strategy and budget, one column a measure of the contexts as texts. */
function accountTable(rows, set, budgets) {
  const measures = {
    requests: 'requests',
    findings: 'findings',
    sentences: 'all sentences',
    wholeLines: 'whole lines',
    outlines: 'outlines',
    pointers: 'pointers',
    tailShare: 'tail',
    falsehoods: 'false',
  }
  const lines = budgets.flatMap((budget) =>
    rows
      .filter((row) => row.set === set && row.budget === budget && row.account !== undefined)
      .map((row) =>
        bold(
          [
            row.budget,
            row.over > 0 ? `${row.strategy} (${row.over} over budget)` : row.strategy,
            ...Object.keys(measures).map((name) => whole(row.account[name])),
          ],
          row.strategy.startsWith('Précis'),
        ),
      ),
  )
  return table([['budget', 'strategy', ...Object.values(measures)], ...lines])
}

function factsTable({ facts }) {
  const budgets = [...new Set(facts.map((row) => row.budget))]
  const names = [...new Set(facts.map((row) => row.strategy))]
  const found = (name, budget) => mean(facts.find((row) => row.strategy === name && row.budget === budget)?.found)
  return table([
    ['facts found, %', ...budgets],
    ...names.map((name) => bold([name, ...budgets.map((budget) => found(name, budget))], name.startsWith('Précis'))),
  ])
}

const wordsTable = ({ words }) => table([['how the session is kept', 'facts of the user found, %'], ...words.map(({ mode, found }) => [mode, mean(found)])])

const fullnessTable = ({ fullness }) =>
  table([
    ['set', 'budget', 'cuts', 'stopped', '% above the target', 'of cuts with room, %', 'size ÷ target, %', 'by characters ÷ 4', 'target used, %'],
    ...fullness.map((row) => [
      row.set,
      row.budget,
      row.cuts,
      row.stopped,
      whole(row.above),
      `${mean(row.avoidable)} of ${row.roomyCuts}`,
      whole(row.size),
      whole(row.sizeByRuler),
      whole(row.used),
    ]),
  ])

const heldOutTable = (rows) =>
  table([
    ['what was fitted', 'set', 'held out', 'groups', 'sessions', 'budget', 'fitted', 'held out', 'gap'],
    ...rows.map((row) => [row.what, row.set, row.heldOut, row.groups, row.sessions, row.budget, row.fitted, row.unseen, row.gap]),
  ])

export function evidenceTables() {
  const [recall, replay, recorded, texts, heldOut, unasked] = ['recall', 'replay', 'recorded', 'texts', 'held-out', 'unasked'].map(read)
  const live = read('live/strict-12000')
  const own = read('own-texts')
  const marked = {
    coding: recall && recallTable(recall, 'coding', ['5 %', '10 %', '25 %', '50 %', '8k', '16k', '32k']),
    others: recall && recallTable(recall, 'short and other domains', ['5 %', '10 %', '25 %', '50 %']),
    rare: recall && recallTable(recall, 'coding, "rare"', ['5 %', '10 %', '25 %', '50 %']),
    account: texts && accountTable(texts.accounts, 'coding', ['5 %', '10 %', '25 %', '50 %']),
    'account of others': texts && accountTable(texts.accounts, 'short and other domains', ['10 %', '25 %']),
    own: own && recallTable(own.accounts, 'coding', ['5 %', '10 %', '25 %', '50 %']),
    'account of own': own && accountTable(own.accounts, 'coding', ['10 %', '25 %']),
    facts: texts && factsTable(texts),
    words: texts && wordsTable(texts),
    fullness: texts && fullnessTable(texts),
    'held out': heldOut && heldOutTable(heldOut),
    replay: replay && replayTable(replay),
    live: live && table(live.map((row) => bold(row, row[0] === 'Précis'))),
    unasked: unasked && asTable(unasked.messages),
    'unasked facts': unasked && asTable(unasked.facts),
    corrections: unasked?.corrections && asTable(unasked.corrections),
    recorded: recorded && asTable(recorded),
  }
  // What was not measured here keeps the figures it has.
  return [{ path: 'docs/evidence.md', marked: Object.fromEntries(Object.entries(marked).filter(([, part]) => part !== undefined)) }]
}
