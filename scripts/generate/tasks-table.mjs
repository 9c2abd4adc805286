// CONTRIBUTING.md: one line for each task.
import { readFileSync } from 'node:fs'
import { tasks } from '../tasks.mjs'

export function tasksTable() {
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8'))
  const command = (name) => (name === 'test' ? 'npm test' : scripts[name] === undefined ? `node scripts/run.mjs ${name}` : `npm run ${name}`)
  const rows = Object.entries(tasks).map(([name, [what]]) => `| \`${command(name)}\` | ${what} |`)
  return [{ path: 'CONTRIBUTING.md', marked: { tasks: `| task | what it does |\n| --- | --- |\n${rows.join('\n')}` } }]
}
