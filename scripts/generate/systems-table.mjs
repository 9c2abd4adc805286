// docs/systems.md holds one line for each row of the five systems, from the titles of their tests.
import { readFileSync } from 'node:fs'

const systems = { pivot: 10, 'cache-aware': 9, layered: 16, 'output-cache': 11, calibrated: 9 }
const presets = { 'cache-aware': 'cacheAware', 'output-cache': 'outputCache' }

export function systemsTable() {
  const sections = []
  for (const [name, rows] of Object.entries(systems)) {
    const file = `packages/core/test/systems/${name}.test.ts`
    const titles = [...readFileSync(file, 'utf8').matchAll(/^ {2}it\('((\d+)\. (?:[^'\\]|\\.)+)'/gm)].map((match) => ({
      number: Number(match[2]),
      title: match[1].replace(/^\d+\. /, '').replaceAll("\\'", "'"),
    }))
    const missing = Array.from({ length: rows }, (_, at) => at + 1).filter((number) => titles.filter((row) => row.number === number).length !== 1)
    if (missing.length > 0) {
      throw new Error(`${file}: no single test for row ${missing.join(', ')}`)
    }
    const lines = titles.map(({ number, title }) => `| ${number} | ${title} |`)
    sections.push(`## ${name} (\`presets.${presets[name] ?? name}\`)\n\n| row | what holds |\n| --: | --- |\n${lines.join('\n')}`)
  }
  return [{ path: 'docs/systems.md', marked: { rows: sections.join('\n\n') } }]
}
