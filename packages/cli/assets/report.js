// Draws reports into an element, from their data alone.
import { drawChart } from './chart.js'
import { element, folded, linkTo, number, percent, table } from './elements.js'

/** What happened, in a sentence. */
function headline({ compactions, calls, totals }) {
  const most = Math.max(0, ...calls.map((call) => call.tokens))
  const without = Math.max(0, ...calls.map((call) => call.whole))
  if (compactions.length === 0) return `Fits the window: never above ${number.format(most)} tokens.`
  const made = compactions.length === 1 ? '1 compaction' : `${compactions.length} compactions`
  const cost = totals.cost <= 1 ? `${percent(1 - totals.cost)} cheaper` : `${percent(totals.cost - 1)} dearer`
  const recalled = totals.recalled === null ? '' : `, ${percent(totals.recalled)} of the names still there when used`
  return `${made}, never above ${number.format(most)} tokens (${number.format(without)} without), ${cost} than sending everything${recalled}.`
}

const dollars = (amount) => `$${amount.toFixed(amount < 1 ? 3 : 2)}`

/** What was sent and what it cost, as pairs of term and value. */
function factsOf({ calls, compactions, totals, survived, money }) {
  return [
    ['calls', number.format(calls.length)],
    ['compactions', number.format(compactions.length)],
    ['tokens sent', number.format(totals.sent)],
    ['without compaction', number.format(totals.sentWithout)],
    ['from the prompt cache', percent(totals.cached)],
    ['cost, with everything sent 1', `${totals.cost.toFixed(2)} ×`],
    ...(money === null
      ? []
      : [
          [`at $${money.dollarsPerMillion} a million`, dollars(money.own)],
          ['with everything sent', dollars(money.without)],
        ]),
    ['names still there when used', percent(totals.recalled)],
    ['names in the last record', survived.names === 0 ? '–' : `${number.format(survived.shown)} of ${number.format(survived.names)}`],
  ]
}

/** What was done, by compaction: a table, then a receipt for each. @returns the receipts. */
function drawCompactions(report, section, id) {
  section.append(element('h2', {}, `Compactions (${report.compactions.length})`))
  const titles = ['', 'before message', 'tokens before', 'after', 'left', 'reason']
  const receipts = report.compactions.map((one, at) => receiptOf(one, `${id}-${at}`, at))
  const rows = report.compactions.map(({ message, tokens, reason }, at) => [
    linkTo(`${id}-${at}`, {}, () => receipts[at], String(at + 1)),
    message,
    tokens.before,
    tokens.after,
    percent(tokens.after / Math.max(1, tokens.before)),
    reason,
  ])
  if (rows.length > 0) section.append(table(titles, rows))
  else section.append(element('p', {}, 'None: the conversation fits this window.'))
  section.append(...receipts)
  return receipts
}

function receiptOf(one, id, at) {
  const pair = (title, text) => element('div', {}, element('strong', {}, title), element('pre', {}, text))
  const edits = one.edits.map(({ index, kind, before, after }) =>
    folded(`Message ${index}: ${kind}`, element('div', { class: 'pair' }, pair('Before', before), pair('After', after))),
  )
  const receipt = folded(`${at + 1}: before message ${one.message}`, element('pre', {}, one.receipt))
  receipt.id = id
  if (one.summary !== '') receipt.append(folded('The summary that the model reads instead', element('pre', {}, one.summary)))
  receipt.append(...edits)
  if (one.editsLeftOut > 0) receipt.append(element('p', { class: 'note' }, `${one.editsLeftOut} more messages were shown shorter.`))
  return receipt
}

function drawOutputs(report, section, id, receipts) {
  const left = (at) => (at === null ? 'still there' : linkTo(`${id}-${at}`, {}, () => receipts[at], `with compaction ${at + 1}`))
  section.append(
    element('h2', {}, 'Outputs by file or command'),
    table(
      ['tool', 'file or command', 'calls', 'tokens'],
      report.bySubject.map(({ tool, what, calls, tokens }) => [tool, what, calls, tokens]),
    ),
    element('h2', {}, 'Largest tool outputs'),
    table(
      ['message', 'tool', 'file or command', 'tokens', 'left whole'],
      report.largest.map(({ index, tool, what, tokens, left: at }) => [index, tool, what, tokens, left(at)]),
    ),
  )
}

function draw(report, at, content, Chartist) {
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
    element('dl', { class: 'facts' }, ...factsOf(report).map(([term, value]) => element('div', {}, element('dt', {}, term), element('dd', {}, value)))),
  )
  for (const { index, reason } of report.stopped)
    section.append(element('p', { role: 'alert' }, `The call before message ${index} could not be made: ${reason}`))
  let receipts = []
  drawChart(report, section, id, Chartist, (one) => receipts[one])
  section.append(folded('What the model reads at the last call', element('pre', {}, report.context)))
  receipts = drawCompactions(report, section, id)
  drawOutputs(report, section, id, receipts)
  if (report.warnings.length > 0)
    section.append(element('h2', {}, 'Warnings'), element('ul', {}, ...report.warnings.map((warning) => element('li', {}, warning))))
}

/** Paper has nothing to click: all receipts stand open on it, and fold again afterwards. */
export function openForPrint(content) {
  const shut = []
  addEventListener('beforeprint', () => {
    shut.splice(0, shut.length, ...content.querySelectorAll('details:not([open])'))
    for (const one of shut) one.open = true
  })
  addEventListener('afterprint', () => {
    for (const one of shut) one.open = false
  })
}

/** Replaces what stands in `content` by a section for each report, with a list of them where there are several. */
export function drawReports(content, reports, Chartist) {
  content.replaceChildren()
  if (reports.length > 1) {
    const links = reports.map((report, at) => element('li', {}, element('a', { href: `#report-${at}` }, report.name), ` ${headline(report)}`))
    content.append(element('nav', { 'aria-label': 'Sessions' }, element('h2', {}, `${reports.length} sessions`), element('ol', {}, ...links)))
  }
  reports.forEach((report, at) => {
    draw(report, at, content, Chartist)
  })
}
