// docs/systems.md holds one line for each row of the five systems, from the titles of their tests. `--write` fills it, without it a difference is an error.
import { readFileSync, writeFileSync } from 'node:fs'

const systems = { pivot: 10, 'cache-aware': 9, layered: 16, 'output-cache': 11, calibrated: 9 }
const presets = { 'cache-aware': 'cacheAware', 'output-cache': 'outputCache' }
const sections = []
for (const [name, rows] of Object.entries(systems)) {
  const file = `packages/core/test/systems/${name}.test.ts`
  const titles = [...readFileSync(file, 'utf8').matchAll(/^ {2}it\('((\d+)\. (?:[^'\\]|\\.)+)'/gm)].map((match) => ({
    number: Number(match[2]),
    title: match[1].replace(/^\d+\. /, '').replaceAll("\\'", "'"),
  }))
  const missing = Array.from({ length: rows }, (_, at) => at + 1).filter((number) => titles.filter((row) => row.number === number).length !== 1)
  if (missing.length > 0) {
    console.error(`${file}: no single test for row ${missing.join(', ')}`)
    process.exit(1)
  }
  const lines = titles.map(({ number, title }) => `| ${number} | ${title} |`)
  sections.push(`## ${name} (\`presets.${presets[name] ?? name}\`)\n\n| row | what holds |\n| --: | --- |\n${lines.join('\n')}`)
}
const path = 'docs/systems.md'
const text = readFileSync(path, 'utf8')
const [intro] = text.split('<!-- rows -->')
const filled = `${intro}<!-- rows -->\n\n${sections.join('\n\n')}\n`
if (process.argv.includes('--write')) writeFileSync(path, filled)
// The formatter pads tables: what counts is what they say.
const said = (markdown) => markdown.replace(/ +/g, ' ').replace(/-{2,}/g, '--')
if (!process.argv.includes('--write') && said(filled) !== said(text)) {
  console.error(`${path} differs from the tests: run node scripts/systems-table.mjs --write`)
  process.exit(1)
}
console.log(`${Object.values(systems).reduce((sum, rows) => sum + rows, 0)} rows, each with its test`)
