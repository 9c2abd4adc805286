// Parts of documents that are made from code, tests and figures. `--write` fills them; without it, a part that differs is an error.
// `-- evidence --write` puts the newest figures of the evals into their page: only when asked, because they are measured where the sessions are.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { configurationTable } from './generate/configuration-table.mjs'
import { evidenceTables } from './generate/evidence-table.mjs'
import { llms } from './generate/llms.mjs'
import { roomsPicture } from './generate/rooms.mjs'
import { snippets } from './generate/snippets.mjs'
import { systemsTable } from './generate/systems-table.mjs'
import { tasksTable } from './generate/tasks-table.mjs'

/** Each gives pages as they should be: `{ path, text }`. Throws where something is missing. */
const parts = { snippets, systems: systemsTable, configuration: configurationTable, tasks: tasksTable, rooms: roomsPicture, llms, evidence: evidenceTables }

const named = process.argv.slice(2).filter((word) => !word.startsWith('-'))
const chosen = named.length > 0 ? named : Object.keys(parts).filter((name) => name !== 'evidence')
const write = process.argv.includes('--write')
/** The formatter pads tables, and nothing else of what is made here: cells are compared by what they say. */
const said = (text) => text.replace(/^\|.*$/gm, (row) => row.replace(/ +/g, ' ').replace(/-{2,}/g, '--'))

let stale = 0
for (const name of chosen) {
  const pages = parts[name]()
  for (const { path, text } of pages) {
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
