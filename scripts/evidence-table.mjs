// Puts the newest figures of `npm run evals` into the table of docs/evidence.md.
import { readFileSync, writeFileSync } from 'node:fs'

const rows = JSON.parse(readFileSync('evals/results/recall.json', 'utf8'))
const head = ['set', 'budget', 'strategy', 'primary', 'passage', 'far', 'tail kept', 'over', 'not feasible']
const cells = rows.map((row) => [
  row.set,
  row.budget,
  row.strategy,
  row.primary,
  row.passage,
  row.far,
  row['tail kept'],
  row.over,
  row.strategy.startsWith('Précis') ? row.infeasible : '–',
])
const table = [head, head.map(() => '---'), ...cells].map((line) => `| ${line.join(' | ')} |`).join('\n')
const path = 'docs/evidence.md'
const text = readFileSync(path, 'utf8')
writeFileSync(path, text.replace(/\| set[\s\S]*?\n\n/, `${table}\n\n`))
