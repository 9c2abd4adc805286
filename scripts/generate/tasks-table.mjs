// CONTRIBUTING.md: one line for each task.
import { readFileSync } from 'node:fs'
import { tasks } from '../tasks.mjs'

export function tasksTable() {
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8'))
  const command = (name) => (name === 'test' ? 'npm test' : scripts[name] === undefined ? `node scripts/run.mjs ${name}` : `npm run ${name}`)
  const rows = Object.entries(tasks).map(([name, [what]]) => `| \`${command(name)}\` | ${what} |`)
  const text = readFileSync('CONTRIBUTING.md', 'utf8')
  const filled = text.replace(
    /(<!-- tasks -->\n)[\s\S]*?(<!-- \/tasks -->)/,
    (_, start, end) => `${start}\n| task | what it does |\n| --- | --- |\n${rows.join('\n')}\n\n${end}`,
  )
  return [{ path: 'CONTRIBUTING.md', text: filled }]
}
