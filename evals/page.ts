import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

const chartist = dirname(createRequire(import.meta.url).resolve('chartist'))

/** Writes one page with plots and tables of all results so far; it needs no network. @returns Its path. */
export function writePage(folder: string): string {
  const read = (name: string): unknown => {
    const path = join(folder, `${name}.json`)
    return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : null
  }
  const data = { recall: read('recall'), replay: read('replay'), recorded: read('recorded') }
  const file = (name: string): string => readFileSync(join(import.meta.dirname, 'page', name), 'utf8')
  const page = file('page.html')
    .replace('/*chartist.css*/', () => readFileSync(join(chartist, 'index.css'), 'utf8'))
    .replace('/*report.css*/', () => readFileSync(join(import.meta.dirname, '../packages/cli/assets/report.css'), 'utf8'))
    .replace('/*page.css*/', () => file('page.css'))
    .replace('/*chartist.js*/', () => readFileSync(join(chartist, 'index.umd.js'), 'utf8').replace(/\/\/# sourceMappingURL.*/, ''))
    .replace('id="data">null', () => `id="data">${JSON.stringify(data).replaceAll('<', '\\u003c')}`)
    .replace('/*page.js*/', () => file('page.js'))
  const path = join(folder, 'evals.html')
  writeFileSync(path, page)
  return path
}
