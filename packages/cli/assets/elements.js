// Pieces of the page. Texts of the transcript only ever become text nodes.
export const number = new Intl.NumberFormat('en')
export const percent = (share) => (share === null ? '–' : `${Math.round(share * 100)}\u00a0%`)

export function element(name, attributes = {}, ...children) {
  const made = document.createElement(name)
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value)
  made.append(...children)
  return made
}

/** Cells are numbers, texts or elements. */
export function table(titles, rows) {
  const head = element('tr', {}, ...titles.map((title) => element('th', { scope: 'col' }, title)))
  const cellOf = (cell) => (cell instanceof Node ? cell : typeof cell === 'number' ? number.format(cell) : String(cell))
  const body = rows.map((row) => element('tr', {}, ...row.map((cell) => element('td', {}, cellOf(cell)))))
  return element('div', { class: 'scroll', tabindex: '0' }, element('table', {}, element('thead', {}, head), element('tbody', {}, ...body)))
}

export const folded = (title, ...children) => element('details', {}, element('summary', {}, title), ...children)

/** A link to something on the page that may be folded: it is opened, shown, and has the focus. */
export function linkTo(address, attributes, find, ...children) {
  const link = element('a', { href: `#${address}`, ...attributes }, ...children)
  link.addEventListener('click', (event) => {
    // Following the address would take the focus away again.
    event.preventDefault()
    const receipt = find()
    receipt.open = true
    receipt.scrollIntoView()
    receipt.querySelector('summary').focus()
  })
  return link
}
