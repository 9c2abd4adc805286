// Puts the newest figures of `npm run evals`, its replay and its recorded summaries into docs/evidence.md, between their marks.
import { existsSync, readFileSync } from 'node:fs'

const path = 'docs/evidence.md'
const read = (name) => (existsSync(`evals/results/${name}.json`) ? JSON.parse(readFileSync(`evals/results/${name}.json`, 'utf8')) : undefined)
const table = (rows) => [rows[0], rows[0].map(() => '---'), ...rows.slice(1)].map((cells) => `| ${cells.join(' | ')} |`).join('\n')

/** One row a strategy, one column a budget: primary / passage. */
function recallTable(rows, set, budgets) {
  const own = rows.filter((row) => row.set === set)
  const cell = (row) => (row === undefined ? '–' : `${row.primary} / ${row.passage}${row.over > 0 ? ` (${row.over} over budget)` : ''}`)
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

export function evidenceTables() {
  const [recall, replay, recorded] = [read('recall'), read('replay'), read('recorded')]
  const parts = {
    coding: recall && recallTable(recall, 'coding', ['5 %', '10 %', '25 %', '50 %', '8k', '16k', '32k']),
    others: recall && recallTable(recall, 'short and other domains', ['5 %', '10 %', '25 %', '50 %']),
    rare: recall && recallTable(recall, 'coding, "rare"', ['5 %', '10 %', '25 %', '50 %']),
    replay: replay && replayTable(replay),
    recorded: recorded && table([Object.keys(recorded[0]), ...recorded.map((row) => Object.values(row))]),
  }
  let text = readFileSync(path, 'utf8')
  for (const [name, part] of Object.entries(parts)) {
    if (part !== undefined)
      text = text.replace(new RegExp(`(<!-- ${name} -->)[\\s\\S]*?(<!-- /${name} -->)`), (_, begin, end) => `${begin}\n\n${part}\n\n${end}`)
  }
  return [{ path, text }]
}
