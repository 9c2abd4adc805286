const { recall, replay, recorded } = JSON.parse(document.getElementById('data').textContent)
const content = document.getElementById('content')
const hue = (name, at) =>
  name.startsWith('Précis') ? 'light-dark(#0b57d0, #8ab4f8)' : `light-dark(hsl(${(at * 47 + 20) % 360} 55% 45%), hsl(${(at * 47 + 20) % 360} 55% 60%))`

function element(name, attributes = {}, ...children) {
  const made = document.createElement(name)
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value)
  made.append(...children)
  return made
}

function table(rows, columns) {
  const head = element('tr', {}, ...columns.map(([title]) => element('th', { scope: 'col' }, title)))
  const body = rows.map((row) => element('tr', {}, ...columns.map(([, pick]) => element('td', {}, String(pick(row))))))
  return element('details', {}, element('summary', {}, 'The numbers'), element('table', {}, element('thead', {}, head), element('tbody', {}, ...body)))
}

/** One line or cloud of points a series; ours is drawn thicker. */
function chart(title, series, options) {
  const figure = element('div', { class: 'chart', role: 'img', 'aria-label': `${title}. The numbers are in the table below.` })
  const legend = element('ul', { class: 'legend' }, ...series.map(({ name }, at) => element('li', { style: `--own: ${hue(name, at)}` }, name)))
  content.append(element('h2', {}, title), figure, legend)
  const drawn = new Chartist.LineChart(
    figure,
    { series: series.map(({ name, data }) => ({ name, data, className: name.startsWith('Précis') ? 'strong' : 'plain' })) },
    {
      lineSmooth: false,
      fullWidth: true,
      chartPadding: { right: 24 },
      axisX: { type: Chartist.AutoScaleAxis, onlyInteger: false, ...options.x },
      axisY: { type: Chartist.AutoScaleAxis, ...options.y },
      showLine: options.line,
    },
  )
  drawn.on('draw', ({ type, index, seriesIndex, element: shape }) => {
    if (type === 'line' || type === 'point')
      shape.attr({ style: `stroke: ${hue(series[type === 'line' ? index : seriesIndex].name, type === 'line' ? index : seriesIndex)}` })
  })
}

const group = (rows, key) => [...new Set(rows.map((row) => row[key]))].map((name) => ({ name, rows: rows.filter((row) => row[key] === name) }))

if (recall !== null) {
  for (const { name: set, rows } of group(
    recall.filter((row) => row.budget.endsWith('%') && !row.set.includes('rare')),
    'set',
  )) {
    for (const [title, pick] of [
      ['still there, alone and with words of its surroundings (primary)', 'primary'],
      ['still there with forty characters on each side (passage)', 'passage'],
    ]) {
      chart(
        `${set}: ${title}, %, by share of the tokens that stay`,
        group(rows, 'strategy').map(({ name, rows }) => ({ name, data: rows.map((row) => ({ x: Number.parseFloat(row.budget), y: row[pick] })) })),
        { line: true, x: { type: Chartist.FixedScaleAxis, ticks: [5, 10, 25, 50], low: 0, high: 50 }, y: { low: 0, high: 100 } },
      )
    }
    content.append(
      table(rows, [
        ['strategy', (row) => row.strategy],
        ['budget', (row) => row.budget],
        ['primary', (row) => row.primary],
        ['95 %', (row) => row.interval.join('–')],
        ['FRR', (row) => row.recall],
        ['in context', (row) => row.inContext],
        ['passage', (row) => row.passage],
        ['far', (row) => row.far],
        ['tail kept', (row) => row.tailKept],
        ['used %', (row) => row.used],
        ['over budget', (row) => row.over],
      ]),
    )
  }
}
if (replay !== null) {
  for (const { name: window, rows } of group(replay, 'window')) {
    const shown = rows.filter((row) => row.policy !== 'no compaction')
    chart(
      `Replay on a window of ${window}: what is remembered (%) by what it costs (1 is no compaction)`,
      shown.map((row) => ({ name: row.policy, data: [{ x: row.cost, y: row.recall }] })),
      { line: false, x: {}, y: { high: 100 } },
    )
    content.append(
      table(
        rows,
        Object.keys(rows[0]).map((key) => [key, (row) => row[key]]),
      ),
    )
  }
}
if (recorded !== null)
  content.append(
    element('h2', {}, 'Summaries that real agents wrote'),
    table(
      recorded,
      Object.keys(recorded[0]).map((key) => [key, (row) => row[key]]),
    ),
  )
