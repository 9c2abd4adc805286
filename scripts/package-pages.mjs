// Each package's README as a page of the documentation: docs/packages/, made when the site is built.
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'

const docs = new URL('../docs/', import.meta.url)
const packages = new URL('../packages/', import.meta.url)
rmSync(new URL('packages/', docs), { recursive: true, force: true })
mkdirSync(new URL('packages/', docs), { recursive: true })
for (const name of readdirSync(packages)) {
  const text = readFileSync(new URL(`${name}/README.md`, packages), 'utf8')
  // Links of the repository become links of the site; so do the pages that are only named.
  const linked = text.replaceAll('../../docs/', '../').replaceAll(/`docs\/([\w-]+)\.md`(?: in the repository)?/g, '[$1](../$1.md)')
  writeFileSync(new URL(`packages/${name}.md`, docs), linked)
}
