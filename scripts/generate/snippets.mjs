// Code blocks in documents are files that CI runs, and that a reader can paste: they import no file of this repository and declare nothing that is not there.
import { globSync, readFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'

/** Whether it runs only where something takes the types away. */
const hasTypes = (code) => stripTypeScriptTypes(code) !== code

export function snippets() {
  let found = 0
  const pages = globSync(['README.md', 'docs/*.md', 'docs/guides/*.md', 'packages/*/README.md']).map((path) => {
    const typed = []
    const text = readFileSync(path, 'utf8').replace(/```(tsx?)\n\/\/ (examples\/[\w/-]+\.\1)\n[\s\S]*?```/g, (_, language, file) => {
      found++
      const code = readFileSync(file, 'utf8')
      if (/from '\.|^declare /m.test(code)) throw new Error(`${path}: ${file} cannot be pasted`)
      if (language === 'ts' && hasTypes(code)) typed.push(file)
      return `\`\`\`${language}\n// ${file}\n${code}\`\`\``
    })
    const loose = [...text.matchAll(/```tsx?\n(?!\/\/ examples\/)/g)].length
    if (typed.length > 0 && !/\.mts`|^# Next\.js/m.test(text)) throw new Error(`${path}: nothing says that ${typed.join(', ')} is saved as .mts`)
    if (loose > 0) throw new Error(`${path}: ${loose} code blocks are not files of examples/`)
    return { path, text }
  })
  if (found === 0) throw new Error('no snippet was found: the check is blind')
  return pages
}
