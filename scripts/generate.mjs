// Parts of documents that are made from code, tests and figures. `--write` fills them; without it, a part that differs is an error.
// `-- evidence --write` puts the newest figures of the evals into their page: only when asked, because they are measured where the sessions are.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { configurationTable } from './generate/configuration-table.mjs'
import { errorsTable } from './generate/errors-table.mjs'
import { eventsTable } from './generate/events-table.mjs'
import { evidenceTables } from './generate/evidence-table.mjs'
import { headline } from './generate/headline.mjs'
import { llms } from './generate/llms.mjs'
import { roomsPicture } from './generate/rooms.mjs'
import { snippets } from './generate/snippets.mjs'
import { systemsTable } from './generate/systems-table.mjs'
import { tasksTable } from './generate/tasks-table.mjs'

/** Each gives pages as they should be: whole (`{ path, text }`), or what stands between marks such as `<!-- rooms -->` and `<!-- /rooms -->` (`{ path, marked }`). */
const parts = {
  snippets,
  systems: systemsTable,
  configuration: configurationTable,
  tasks: tasksTable,
  rooms: roomsPicture,
  events: eventsTable,
  errors: errorsTable,
  headline,
  llms,
  evidence: evidenceTables,
}

const named = process.argv.slice(2).filter((word) => !word.startsWith('-'))
const chosen = named.length > 0 ? named : Object.keys(parts).filter((name) => name !== 'evidence')
const write = process.argv.includes('--write')
/** The formatter pads tables, and nothing else of what is made here: cells are compared by what they say. */
const said = (text) => text.replace(/^\|.*$/gm, (row) => row.replace(/ +/g, ' ').replace(/-{2,}/g, '--'))

function fill({ path, text, marked = {} }) {
  return Object.entries(marked).reduce((page, [name, part]) => {
    const between = new RegExp(`(<!-- ${name}(?::.*?)? -->\\n)[\\s\\S]*?(<!-- /${name} -->)`)
    if (!between.test(page)) throw new Error(`${path} has no place for ${name}: <!-- ${name} --> … <!-- /${name} -->`)
    return page.replace(between, (_, start, end) => `${start}\n${part}\n\n${end}`)
  }, text ?? readFileSync(path, 'utf8'))
}

let stale = 0
for (const name of chosen) {
  const pages = parts[name]()
  for (const page of pages) {
    const { path } = page
    const text = fill(page)
    if (existsSync(path) && said(readFileSync(path, 'utf8')) === said(text)) continue
    if (write) writeFileSync(path, text)
    else {
      stale++
      console.error(`${path}: its ${name} differ from what they are made from; run node scripts/run.mjs generate --write`)
    }
  }
  console.log(`${name}: ${pages.length} ${pages.length === 1 ? 'page' : 'pages'}`)
}
process.exit(stale > 0 ? 1 : 0)
