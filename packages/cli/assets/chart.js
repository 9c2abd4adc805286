// The context over time: regions stacked, the whole conversation as a line, the limits dashed; a slider reads the values of a call.
import { element, folded, linkTo, number, table } from './elements.js'

const regions = [
  ['system', ['system', 'tools', 'memory'], 'system prompt and tools'],
  ['pinned', ['pinned'], 'pinned'],
  ['summary', ['summary'], 'summary'],
  ['history', ['history'], 'older'],
  ['recent', ['recent'], 'recent'],
  ['request', ['input'], 'request'],
]
/** Points that a chart of this width can show. */
const mostPoints = 400

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

/** @param receiptOf The receipt of a compaction, by its ordinal. */
export function drawChart(report, section, id, Chartist, receiptOf) {
  const points = sampled(report.calls)
  const label = `Tokens of the context at each of ${report.calls.length} calls, by region. The slider reads one call; the table below has the numbers.`
  const box = element('div', { class: 'chart', role: 'img', 'aria-label': label })
  const markers = element('nav', { class: 'markers', 'aria-label': 'Compactions' })
  report.compactions.forEach((one, at) => {
    const place = `left: ${(one.call / Math.max(1, report.calls.length - 1)) * 100}%; top: ${(at % 2) * 1.3}rem`
    const title = `Compaction ${at + 1}, before message ${one.message}`
    markers.append(linkTo(`${id}-${at}`, { title, style: place }, () => receiptOf(at), String(at + 1)))
  })
  const shown = regions.filter(([, keys]) => report.calls.some((call) => sum(call, keys) > 0))
  const legend = element('ul', { class: 'legend' }, ...shown.map(([name, , title]) => element('li', { style: `--own: var(--${name})` }, title)))
  const frame = element('div', { class: 'frame' }, box)
  section.append(element('h2', {}, 'Context over time'), frame, markers, legend, ...readings(points, frame, shown))
  section.append(element('p', { class: 'note' }, "The thin line is the context without compaction. Numbers below the chart open a compaction's receipt."))
  drawLines(report, points, box, Chartist)
  section.append(
    folded(
      'The numbers behind the chart',
      table(
        ['message', 'tokens', 'without compaction', ...regions.map(([, , title]) => title)],
        points.map((call) => [call.message, call.tokens, call.whole, ...regions.map(([, keys]) => sum(call, keys))]),
      ),
    ),
  )
}

/** A slider and the values of the call where it stands: by pointer over the chart, by touch, by keyboard. */
function readings(points, frame, shown) {
  const slider = element('input', { type: 'range', min: 0, max: Math.max(0, points.length - 1), value: points.length - 1, 'aria-label': 'Call to read' })
  const values = element('output', { class: 'values' })
  const line = element('div', { class: 'line' })
  frame.append(line)
  const read = (at) => {
    const call = points[at]
    if (call === undefined) return
    slider.value = String(at)
    line.style.setProperty('--at', String(at / Math.max(1, points.length - 1)))
    const parts = shown.map(([, keys, title]) => [title, sum(call, keys)]).filter(([, tokens]) => tokens > 0)
    values.textContent = `Before message ${call.message}: ${number.format(call.tokens)} tokens, ${number.format(call.whole)} without. ${parts.map(([title, tokens]) => `${title} ${number.format(tokens)}`).join(', ')}.`
  }
  slider.addEventListener('input', () => read(Number(slider.value)))
  frame.addEventListener('pointermove', ({ clientX }) => {
    const { left, width } = line.parentElement.getBoundingClientRect()
    const style = getComputedStyle(line)
    const [from, to] = [Number.parseFloat(style.getPropertyValue('--from')), Number.parseFloat(style.getPropertyValue('--to'))]
    const share = (clientX - left - from) / Math.max(1, width - from - to)
    read(Math.round(Math.min(1, Math.max(0, share)) * (points.length - 1)))
  })
  read(points.length - 1)
  return [slider, values]
}

function drawLines(report, points, box, Chartist) {
  const stacked = regions.map((_, last) => points.map((call) => regions.slice(0, last + 1).reduce((total, [, keys]) => total + sum(call, keys), 0)))
  // What would be far above the window leaves the picture: the contexts below it are what is looked at.
  const top = report.window * 2.5
  const limits = [
    [report.window, 'window'],
    [report.hard, 'compaction begins'],
    [report.target, 'its aim'],
  ]
  const series = [
    ...stacked.map((data, at) => ({ name: regions[at][0], className: `ct-series region`, data })).reverse(),
    { name: 'without', className: 'ct-series without', data: points.map((call) => (call.whole <= top ? call.whole : null)) },
    ...limits.map(([limit]) => ({ name: 'limit', className: 'ct-series limit', data: points.map(() => limit) })),
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
  drawn.on('created', ({ svg, chartRect, axisY }) => {
    for (const [limit, title] of limits) {
      const place = { x: chartRect.x1 + 6, y: chartRect.y1 - axisY.projectValue(limit) - 4 }
      svg.elem('text', place, 'limit-label').text(`${title} ${number.format(limit)}`)
    }
    const style = box.parentElement.style
    style.setProperty('--from', `${chartRect.x1}px`)
    style.setProperty('--to', `${box.clientWidth - chartRect.x2}px`)
    style.setProperty('--top', `${chartRect.y2}px`)
    style.setProperty('--height', `${chartRect.y1 - chartRect.y2}px`)
  })
}
