// docs/systems.md holds, for each of the five systems, its main use as a program and one line for each row, from the titles of their tests.
import { readdirSync, readFileSync } from 'node:fs'

const systems = { pivot: 10, 'cache-aware': 9, layered: 16, 'output-cache': 11, calibrated: 9 }
const presets = { 'cache-aware': 'cacheAware', 'output-cache': 'outputCache' }

/** Its tests stand in `name.test.ts`, or in several files that begin with its name. */
const folder = 'packages/core/test/systems'

/** What each program shows. */
const uses = {
  pivot: 'A long task: when the window is full, one summary takes the place of everything before it, and the agent goes on.',
  'cache-aware': 'An agent that people talk to: outputs are cut and summaries made early, in the background, by a fast model.',
  layered:
    'A host that must be able to say what happened: one file with the policy, the archive and the events, and a seed for the summarizer. The file names `@precis/storage-fs` and `@precis/exporter-console`: install them too.',
  'output-cache':
    'Huge outputs: whole in a store, a view of each in the context, and the model reads on by its reference. The document looks at usage once more before a run ends; here that is the look before the next request: nothing is sent in between, and a conversation that ends pays for no summary.',
  calibrated: 'An unattended run over a small window: results are cut by their shape before they enter.',
}

export function systemsTable() {
  const sections = []
  for (const [name, rows] of Object.entries(systems)) {
    const files = readdirSync(folder).filter((file) => file === `${name}.test.ts` || (file.startsWith(`${name}-`) && file.endsWith('.test.ts')))
    const tests = files.map((file) => readFileSync(`${folder}/${file}`, 'utf8')).join('\n')
    const titles = [...tests.matchAll(/^ {2}it\('((\d+)\. (?:[^'\\]|\\.)+)'/gm)]
      .map((match) => ({
        number: Number(match[2]),
        title: match[1].replace(/^\d+\. /, '').replaceAll("\\'", "'"),
      }))
      .toSorted((a, b) => a.number - b.number)
    const missing = Array.from({ length: rows }, (_, at) => at + 1).filter((number) => titles.filter((row) => row.number === number).length !== 1)
    if (missing.length > 0) {
      throw new Error(`${folder}, ${name}: no single test for row ${missing.join(', ')}`)
    }
    const lines = titles.map(({ number, title }) => `| ${number} | ${title} |`)
    const program = `examples/systems/${name}.ts`
    const snippet = `\`\`\`ts\n// ${program}\n${readFileSync(program, 'utf8')}\`\`\``
    sections.push(
      `## ${name} (\`presets.${presets[name] ?? name}\`)\n\n${uses[name]}\n\n${snippet}\n\n| row | what holds |\n| --: | --- |\n${lines.join('\n')}`,
    )
  }
  return [{ path: 'docs/systems.md', marked: { rows: sections.join('\n\n') } }]
}
