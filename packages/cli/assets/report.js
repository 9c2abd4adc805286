// Draws the report from the data in the page. Texts of the transcript only ever become text nodes.
const reports = JSON.parse(document.getElementById('data').textContent)
const content = document.getElementById('content')
const regions = [
  ['system', ['system', 'tools', 'memory'], 'system prompt and tools'],
  ['pinned', ['pinned'], 'pinned'],
  ['summary', ['summary'], 'summary'],
  ['history', ['history'], 'history'],
  ['recent', ['recent'], 'recent'],
  ['request', ['input'], 'request'],
]
const number = new Intl.NumberFormat('en')
const percent = (share) => (share === null ? '–' : `${Math.round(share * 100)}\u00a0%`)
/** Points that a chart of this width can show. */
const mostPoints = 400

function element(name, attributes = {}, ...children) {
  const made = document.createElement(name)
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value)
  made.append(...children)
  return made
}

function table(titles, rows) {
  const head = element('tr', {}, ...titles.map((title) => element('th', { scope: 'col' }, title)))
  const body = rows.map((row) => element('tr', {}, ...row.map((cell) => element('td', {}, typeof cell === 'number' ? number.format(cell) : String(cell)))))
  return element('div', { class: 'scroll', tabindex: '0' }, element('table', {}, element('thead', {}, head), element('tbody', {}, ...body)))
}

const folded = (title, ...children) => element('details', {}, element('summary', {}, title), ...children)
const sum = (call, keys) => keys.reduce((total, key) => total + call.regions[key], 0)

/** Every call, or of each stretch the one with the largest prompt: peaks are what a window is about. */
function sampled(calls) {
  const step = Math.ceil(calls.length / mostPoints)
  const points = []
  for (let at = 0; at < calls.length; at += step) {
    const stretch = calls.slice(at, at + step)
    points.push(stretch.reduce((most, call) => (call.tokens > most.tokens ? call : most)))
  }
  return points
}

function drawChart(report, section, id) {
  const points = sampled(report.calls)
  const box = element('div', {
    class: 'chart',
    role: 'img',
    'aria-label': `Tokens of the context at each of ${report.calls.length} calls, by region. The table below has the numbers.`,
  })
  const markers = element('nav', { class: 'markers', 'aria-label': 'Compactions' })
  report.compactions.forEach((one, at) => {
    const link = element(
      'a',
      {
        href: `#${id}-${at}`,
        title: `Compaction ${at + 1}, before message ${one.message}`,
        style: `left: ${(one.call / Math.max(1, report.calls.length - 1)) * 100}%; top: ${(at % 2) * 1.3}rem`,
      },
      String(at + 1),
    )
    link.addEventListener('click', (event) => {
      // Following the address would take the focus away again.
      event.preventDefault()
      const receipt = document.getElementById(`${id}-${at}`)
      receipt.open = true
      receipt.scrollIntoView()
      receipt.querySelector('summary').focus()
    })
    markers.append(link)
  })
  const legend = element(
    'ul',
    { class: 'legend' },
    ...regions
      .filter(([, keys]) => report.calls.some((call) => sum(call, keys) > 0))
      .map(([name, , label]) => element('li', { style: `--own: var(--${name})` }, label)),
  )
  section.append(element('h2', {}, 'Context over time'), box, markers, legend)
  section.append(
    element(
      'p',
      { class: 'note' },
      `The thin line is the context without compaction. Dashed, from above: the window of ${number.format(report.window)} tokens, where a compaction begins (${number.format(report.hard)}), what it aims at (${number.format(report.target)}). Numbers below the chart open a compaction's receipt.`,
    ),
  )
  const stacked = regions.map((_, last) => points.map((call) => regions.slice(0, last + 1).reduce((total, [, keys]) => total + sum(call, keys), 0)))
  // What would be far above the window leaves the picture: the contexts below it are what is looked at.
  const top = report.window * 2.5
  const limits = [report.window, report.hard, report.target].map((limit) => points.map(() => limit))
  const series = [
    ...stacked.map((data, at) => ({ name: regions[at][0], className: `ct-series region`, data })).reverse(),
    { name: 'without', className: 'ct-series without', data: points.map((call) => (call.whole <= top ? call.whole : null)) },
    ...limits.map((data) => ({ name: 'limit', className: 'ct-series limit', data })),
  ]
  const drawn = new Chartist.LineChart(
    box,
    { labels: points.map((call) => call.message), series },
    {
      showPoint: false,
      showArea: true,
      lineSmooth: false,
      fullWidth: true,
      low: 0,
      chartPadding: { right: 15, left: 10 },
      axisX: { showGrid: false, labelInterpolationFnc: (label, at) => (at % Math.max(1, Math.ceil(points.length / 8)) === 0 ? label : null) },
      axisY: { onlyInteger: true, labelInterpolationFnc: (value) => (value >= 1000 ? `${Math.round(value / 100) / 10}k` : value) },
    },
  )
  drawn.on('draw', (shape) => {
    if (shape.type !== 'line' && shape.type !== 'area') return
    const { name } = shape.series
    const line = name === 'limit' || name === 'without'
    if (line && shape.type === 'area') shape.element.remove()
    else shape.element.attr({ style: `--own: var(--${line ? 'ink' : name})` })
  })
  const titles = ['message', 'tokens', 'without compaction', ...regions.map(([, , label]) => label)]
  section.append(
    folded(
      'The numbers behind the chart',
      table(
        titles,
        points.map((call) => [call.message, call.tokens, call.whole, ...regions.map(([, keys]) => sum(call, keys))]),
      ),
    ),
  )
}

/** What happened, in a sentence. */
function headline({ compactions, calls, totals }) {
  const most = Math.max(0, ...calls.map((call) => call.tokens))
  const without = Math.max(0, ...calls.map((call) => call.whole))
  const made = compactions.length === 1 ? '1 compaction' : `${compactions.length} compactions`
  const cost = totals.cost <= 1 ? `${percent(1 - totals.cost)} cheaper` : `${percent(totals.cost - 1)} dearer`
  const recalled = totals.recalled === null ? '' : `, ${percent(totals.recalled)} of the names still there when used`
  return `${made}, never above ${number.format(most)} tokens (${number.format(without)} without), ${cost} than sending everything${recalled}.`
}

function drawCompactions(report, section, id) {
  section.append(element('h2', {}, `Compactions (${report.compactions.length})`))
  const titles = ['', 'before message', 'tokens before', 'after', 'left', 'reason']
  const rows = report.compactions.map(({ message, tokens, reason }, at) => [
    at + 1,
    message,
    tokens.before,
    tokens.after,
    percent(tokens.after / Math.max(1, tokens.before)),
    reason,
  ])
  if (rows.length > 0) section.append(table(titles, rows))
  if (report.compactions.length === 0) section.append(element('p', {}, 'None: the conversation fits this window.'))
  report.compactions.forEach((one, at) => {
    const edits = one.edits.map(({ index, kind, before, after }) =>
      folded(
        `Message ${index}: ${kind}`,
        element(
          'div',
          { class: 'pair' },
          element('div', {}, element('strong', {}, 'Before'), element('pre', {}, before)),
          element('div', {}, element('strong', {}, 'After'), element('pre', {}, after)),
        ),
      ),
    )
    const receipt = folded(`${at + 1}: before message ${one.message}`, element('pre', {}, one.receipt))
    receipt.id = `${id}-${at}`
    if (one.summary !== '') receipt.append(folded('The summary that the model reads instead', element('pre', {}, one.summary)))
    receipt.append(...edits)
    if (one.editsLeftOut > 0) receipt.append(element('p', { class: 'note' }, `${one.editsLeftOut} more messages were shown shorter.`))
    section.append(receipt)
  })
}

function draw(report, at) {
  const id = `report-${at}`
  const section = element('section', { 'aria-label': report.name })
  section.id = id
  content.append(section)
  section.append(
    element('h1', {}, report.name),
    element('p', { class: 'headline' }, headline(report)),
    element(
      'p',
      { class: 'note' },
      `${report.format}; replayed call by call on a window of ${number.format(report.window)} tokens. Nothing was sent anywhere; summaries are the record that needs no model.`,
    ),
  )
  const { totals, survived } = report
  const facts = [
    ['calls', number.format(report.calls.length)],
    ['compactions', number.format(report.compactions.length)],
    ['tokens sent', number.format(totals.sent)],
    ['without compaction', number.format(totals.sentWithout)],
    ['from the prompt cache', percent(totals.cached)],
    ['cost of the prompts', `${totals.cost.toFixed(2)} ×`],
    ['names still there when used', percent(totals.recalled)],
    ['names in the last record', survived.names === 0 ? '–' : `${number.format(survived.shown)} of ${number.format(survived.names)}`],
  ]
  section.append(element('dl', { class: 'facts' }, ...facts.map(([term, value]) => element('div', {}, element('dt', {}, term), element('dd', {}, value)))))
  for (const { index, reason } of report.stopped)
    section.append(element('p', { role: 'alert' }, `The call before message ${index} could not be made: ${reason}`))
  drawChart(report, section, id)
  drawCompactions(report, section, id)
  section.append(
    element('h2', {}, 'Outputs by file or command'),
    table(
      ['tool', 'file or command', 'calls', 'tokens'],
      report.bySubject.map(({ tool, what, calls, tokens }) => [tool, what, calls, tokens]),
    ),
    element('h2', {}, 'Largest tool outputs'),
    table(
      ['message', 'tool', 'file or command', 'tokens'],
      report.largest.map(({ index, tool, what, tokens }) => [index, tool, what, tokens]),
    ),
  )
  if (report.warnings.length > 0)
    section.append(element('h2', {}, 'Warnings'), element('ul', {}, ...report.warnings.map((warning) => element('li', {}, warning))))
}

/** Paper has nothing to click: all receipts stand open on it, and fold again afterwards. */
function openForPrint() {
  const shut = []
  addEventListener('beforeprint', () => {
    shut.splice(0, shut.length, ...document.querySelectorAll('details:not([open])'))
    for (const one of shut) one.open = true
  })
  addEventListener('afterprint', () => {
    for (const one of shut) one.open = false
  })
}

content.replaceChildren()
if (reports.length > 1) {
  const links = reports.map((report, at) => element('li', {}, element('a', { href: `#report-${at}` }, report.name), ` ${headline(report)}`))
  content.append(element('nav', { 'aria-label': 'Sessions' }, element('h2', {}, `${reports.length} sessions`), element('ol', {}, ...links)))
}
reports.forEach(draw)
openForPrint()
