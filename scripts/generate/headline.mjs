// The figures that are seen first, in README.md and on the front page of the documentation: taken from the tables of docs/evidence.md.
import { readFileSync } from 'node:fs'

/** Rows of the table between two marks, cell by cell, without emphasis. */
function rowsOf(page, name) {
  const [, part = ''] = new RegExp(`<!-- ${name} -->([\\s\\S]*?)<!-- /${name} -->`).exec(page) ?? []
  const rows = [...part.matchAll(/^\|(.*)\|$/gm)].map(([, row]) => row.split('|').map((cell) => cell.replaceAll('*', '').trim()))
  if (rows.length < 3) throw new Error(`docs/evidence.md has no table "${name}"`)
  return rows
}

/** As the README calls them, by their names in the evidence. */
const compared = {
  'LangChain `trimMessages`': 'trimMessages (LangChain), startOn human',
  'AI SDK `pruneMessages`, fitted': 'pruneMessages (AI SDK), fitted',
  'LangChain `ClearToolUsesEdit`, fitted': 'ClearToolUsesEdit (LangChain), fitted',
  'head and tail of tool outputs, fitted': 'head + tail of outputs, fitted',
  'Précis, without a model': 'Précis, balanced',
}

export function headline() {
  const evidence = readFileSync('docs/evidence.md', 'utf8')
  const [head, , ...rows] = rowsOf(evidence, 'coding')
  const quarter = head.indexOf('25 %')
  const found = Object.entries(compared).map(([name, known]) => {
    const [, words, around] = /^([\d.]+) \/ ([\d.]+)/.exec(rows.find(([row]) => row === known)?.[quarter] ?? '') ?? []
    if (words === undefined) throw new Error(`docs/evidence.md has no row "${known}" at 25 %`)
    return { name, words: Math.round(words), around: Math.round(around) }
  })
  const bold = (name, text) => (name.startsWith('Précis') ? `**${text}**` : text)
  const table = [
    '| names still in the context at a quarter of the tokens | found at all | found with its context |',
    '| --- | --: | --: |',
    ...found.map(({ name, words, around }) => `| ${bold(name, name)} | ${bold(name, `${words} %`)} | ${bold(name, `${around} %`)} |`),
  ].join('\n')
  const ours = found.at(-1)
  const next = Math.max(...found.slice(0, -1).map(({ words }) => words))

  // The second table there, of two readers, has fewer columns.
  const runs = rowsOf(evidence, 'front').filter(({ length }) => length === 9)
  const fronts = runs.filter(([, way]) => /^`(?:withCompaction|compaction\(\))`$/.test(way))
  if (fronts.length === 0) throw new Error('the table of the front doors has other columns: read it anew')
  const [answered] = fronts.map(([, , , right]) => right)
  const refused = fronts.reduce((sum, row) => sum + Number(row[4]), 0)
  const requests = fronts.reduce((sum, row) => sum + Number(row[5]), 0)
  if (fronts.some((row) => row[3] !== answered)) throw new Error('the front doors answer differently: write another headline')
  const others = runs.filter(([, way, , right]) => !/^nothing|ompaction/.test(way) && right?.includes(' of '))
  const most = Math.max(...others.map(([, , , right]) => Number.parseInt(right, 10)))
  const features = [
    [
      `${answered} facts`,
      `of a conversation that left the window are answered: the model looks them up, unseen. With what the frameworks bring along: at most ${most}.`,
    ],
    [
      `${refused} of ${requests} requests`,
      `were refused by a provider that is as strict as the real ones, through ${fronts.length} frameworks, majors and wires, with one line and its defaults.`,
    ],
    [
      `${ours.words} % of the names`,
      `that an agent uses later are still there when a quarter of the tokens is left, without a second model. The next best keeps ${next} %.`,
    ],
  ]
  const block = features.map(
    ([title, details]) =>
      `  - title: ${JSON.stringify(title)}\n    details: ${JSON.stringify(details)}\n    link: /evidence\n    linkText: how it was measured`,
  )
  const index = readFileSync('docs/index.md', 'utf8')
  const text = index.replace(/(# headline\n)[\s\S]*?( *# \/headline)/, (_, start, end) => `${start}${block.join('\n')}\n${end}`)
  return [
    { path: 'README.md', marked: { headline: table } },
    { path: 'docs/index.md', text },
  ]
}
