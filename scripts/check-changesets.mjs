// Reads every changeset the way a release will: front matter that names packages of this workspace and the size of the change, then words.
// A formatter once rewrote the front matter of all of them, and nothing said so before a release would have.
import { readdirSync, readFileSync } from 'node:fs'

const root = new URL('../', import.meta.url)
const packages = new Set(
  readdirSync(new URL('packages/', root)).map((name) => JSON.parse(readFileSync(new URL(`packages/${name}/package.json`, root), 'utf8')).name),
)
const files = readdirSync(new URL('.changeset/', root)).filter((name) => name.endsWith('.md') && name !== 'README.md')
const problems = files.flatMap((file) => {
  const found = /^---\n((?:"[^"]+": (?:major|minor|patch)\n)+)---\n\n(\S[\s\S]*)$/.exec(readFileSync(new URL(`.changeset/${file}`, root), 'utf8'))
  if (found === null) return [`${file}: expected front matter of lines like '"@precis/core": minor' between '---', an empty line, then words`]
  return [...found[1].matchAll(/"([^"]+)"/g)]
    .map(([, name]) => name)
    .filter((name) => !packages.has(name))
    .map((name) => `${file}: no package is called ${name}`)
})
for (const problem of problems) console.error(problem)
console.log(`${files.length} changesets, ${problems.length} problems`)
process.exit(problems.length === 0 ? 0 : 1)
