// The run of the demo as a picture of a terminal, and its figures in README.md. `--write` writes both; without it the figures are compared: the agent reads
// this repository, so windows and compactions move a little with it.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const json = join(mkdtempSync(join(tmpdir(), 'precis-demo-')), 'demo.json')
const { NO_COLOR: _, ...env } = process.env
const printed = execFileSync('npm', ['run', 'demo', '--silent', '--', `--json=${json}`], { encoding: 'utf8', env: { ...env, FORCE_COLOR: '1' } })
const { bare, precis } = JSON.parse(readFileSync(json, 'utf8'))
const readme = readFileSync('README.md', 'utf8')
const [, said = ''] = /<!-- demo -->\n\n([\s\S]*?)\n\n<!-- \/demo -->/.exec(readme) ?? []

const row = (name, of) => `| ${name} | ${of(bare)} | ${of(precis)} |`
const table = [
  '|  | without | with Précis |',
  '| --- | --: | --: |',
  row('ended', ({ ended, steps }) => (ended === 'dead' ? `dead after ${steps} steps` : `finished, ${steps} steps`)),
  row('conversation, in windows', ({ windows }) => windows.toFixed(1)),
  row('compactions', ({ compactions }) => compactions),
  row('requests refused / invalid', ({ refused, invalid }) => `${refused} / ${invalid}`),
  row('facts recalled from the beginning', ({ recalled }) => recalled),
  row('prompt cache share', ({ cached }) => cached),
].join('\n')

/** What a terminal paints by these codes. */
const colors = { 1: '#f0f6fc', 31: '#ff7b72', 32: '#7ee787', 33: '#e3b341', 36: '#79c0ff', 90: '#8b949e' }
const plain = '#c9d1d9'
const [wide, high, left, top] = [8.4, 18, 20, 46]
const blocks = '▁▂▃▄▅▆▇█'
const escaped = (text) => text.replace(/[&<>]/g, (sign) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;' })[sign])

/** One stretch of one color: blocks as boxes, since fonts leave gaps between them, anything else as text of that width. */
function shape(run, x, y, color) {
  if (!blocks.includes(run[0]))
    return [`<text x="${x.toFixed(1)}" y="${y}" fill="${color}" textLength="${(run.length * wide).toFixed(1)}" xml:space="preserve">${escaped(run)}</text>`]
  return Array.from(run, (block, at) => {
    const height = ((blocks.indexOf(block) + 1) / 8) * high
    return `<rect x="${(x + at * wide).toFixed(1)}" y="${(y + 5 - height).toFixed(1)}" width="${wide}" height="${height.toFixed(1)}" fill="${color}"/>`
  })
}

function drawLine(line, at) {
  let [column, color] = [0, plain]
  // biome-ignore lint/suspicious/noControlCharactersInRegex: terminals read them
  return line.split(/(\u001b\[\d+m)/).flatMap((piece) => {
    if (piece.startsWith('\u001b')) {
      color = colors[Number.parseInt(piece.slice(2), 10)] ?? plain
      return []
    }
    return (piece.match(/[▁▂▃▄▅▆▇█]+|[^▁▂▃▄▅▆▇█]+/g) ?? []).flatMap((run) => {
      const x = left + column * wide
      column += run.length
      return run.trim() === '' ? [] : shape(run, x, top + at * high, color)
    })
  })
}

function drawn(lines) {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: terminals read them
  const columns = Math.max(...lines.map((line) => line.replace(/\u001b\[\d+m/g, '').length))
  const [width, height] = [Math.ceil(2 * left + columns * wide), top + lines.length * high + 4]
  const buttons = ['#ff5f57', '#febc2e', '#28c840'].map((color, at) => `<circle cx="${20 + 18 * at}" cy="18" r="5" fill="${color}"/>`)
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, monospace" font-size="14" role="img" aria-label="What npm run demo prints">`,
    `<rect width="${width}" height="${height}" rx="8" fill="#0d1117"/>`,
    ...buttons,
    ...lines.flatMap(drawLine),
    '</svg>\n',
  ].join('\n')
}

/** The same words; numbers that are counted within a fifth, or one. */
function isSame(then, now) {
  const [before, after] = [then, now].map((text) => text.match(/[\d.]+|dead|finished/g) ?? [])
  return (
    before.length === after.length &&
    after.every((one, at) => one === before[at] || (Number(before[at]) > 1 && Math.abs(one - before[at]) <= Math.max(1, 0.2 * before[at])))
  )
}

if (process.argv.includes('--write')) {
  writeFileSync('docs/images/demo.svg', drawn(['$ npm run demo', '', ...printed.trimEnd().split('\n')]))
  writeFileSync(
    'README.md',
    readme.replace(said, () => table),
  )
} else if (isSame(said, table)) console.log('README.md says what the demo prints')
else {
  console.error(`README.md says\n${said}\nand the demo\n${table}\nWrite what it says now: node scripts/run.mjs demo:picture --write`)
  process.exitCode = 1
}
