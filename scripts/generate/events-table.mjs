// docs/recipes.md: one line for each event, from the list of names.
import { readFileSync } from 'node:fs'

export function eventsTable() {
  const list = readFileSync('packages/core/src/runtime/telemetry/events.ts', 'utf8').matchAll(/^ {2}\| '(compact\.\w+)'(?: \/\/ (.+))?$/gm)
  const rows = [...list].map(([, name, when]) => {
    if (when === undefined) throw new Error(`events.ts does not say when ${name} is sent: write it behind the name`)
    return `| \`${name}\` | ${when} |`
  })
  return [{ path: 'docs/recipes.md', marked: { events: `| event | when |\n| --- | --- |\n${rows.join('\n')}` } }]
}
