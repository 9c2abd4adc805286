// Code blocks in documents are files that CI runs. `--write` fills them, without it a difference is an error.
import { globSync, readFileSync, writeFileSync } from 'node:fs'

const write = process.argv.includes('--write')
let stale = 0
let found = 0
for (const path of globSync(['README.md', 'docs/*.md', 'packages/*/README.md'])) {
  const text = readFileSync(path, 'utf8')
  const filled = text.replace(/```ts\n\/\/ (examples\/[\w/-]+\.ts)\n[\s\S]*?```/g, (_, file) => {
    found++
    return `\`\`\`ts\n// ${file}\n${readFileSync(file, 'utf8')}\`\`\``
  })
  const loose = [...filled.matchAll(/```ts\n(?!\/\/ examples\/)/g)].length
  if (loose > 0) {
    console.error(`${path}: ${loose} code blocks are not files of examples/`)
    stale++
  }
  if (filled === text) continue
  if (write) writeFileSync(path, filled)
  else {
    console.error(`${path} differs from its example: run node scripts/snippets.mjs --write`)
    stale++
  }
}
if (found === 0) throw new Error('no snippet was found: the check is blind')
console.log(`${found} snippets, ${stale} problems`)
process.exit(stale > 0 ? 1 : 0)
