// Every link of the built site that leads to a place within a page: VitePress itself looks only whether the page is there. Ids are GitHub's, so this holds for both.
import { globSync, readFileSync } from 'node:fs'
import { addressOf } from './address.mjs'

const dist = new URL('../docs/.vitepress/dist/', import.meta.url)
const { docs = '' } = addressOf()
/** Where the site stands; its links to itself begin so. */
const home = new URL(docs === '' ? 'https://site.invalid/' : `${docs}/`)

/** Attributes of HTML hold no more than these. */
const plain = (text) => text.replaceAll('&quot;', '"').replaceAll('&#39;', "'").replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&')
const pages = globSync('**/*.html', { cwd: dist }).map((file) => {
  const path = file.replaceAll('\\', '/').replace(/(?:^|(?<=\/))index\.html$|\.html$/, '')
  const html = readFileSync(new URL(file, dist), 'utf8')
  const all = (pattern) => [...html.matchAll(pattern)].map(([, value]) => plain(value))
  return { path, address: new URL(path, home), ids: new Set(all(/\bid="([^"]+)"/g)), links: all(/<a\b[^>]*?\bhref="([^"]+)"/g) }
})
const idsAt = new Map(pages.map(({ address, ids }) => [address.pathname, ids]))

let checked = 0
const problems = pages.flatMap(({ path, address, links }) =>
  links.flatMap((link) => {
    const { origin, pathname, hash } = new URL(link, address)
    const ids = origin === home.origin ? idsAt.get(pathname.replace(/(?:index)?\.html$/, '')) : undefined
    if (hash === '' || ids === undefined) return []
    checked++
    return ids.has(decodeURIComponent(hash.slice(1))) ? [] : [`${path || 'index'}: ${link} leads to no heading`]
  }),
)
for (const problem of new Set(problems)) console.error(problem)
console.log(`${checked} links to places within pages, ${problems.length} lead nowhere`)
if (checked === 0) throw new Error('no link was found: the check is blind')
process.exit(problems.length === 0 ? 0 : 1)
