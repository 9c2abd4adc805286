// Where this project lives. Its workflows know it from GitHub, anybody else says it by the same variables. `node scripts/address.mjs` writes it into every package: right before a release.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** The repository and the documentation, without a slash at the end; undefined where nobody says. */
export function addressOf({ GITHUB_REPOSITORY: name, GITHUB_SERVER_URL: server = 'https://github.com', DOCS_URL: docs } = process.env) {
  const repository = name ? `${server}/${name}` : undefined
  return { repository, docs: docs?.replace(/\/$/, '') }
}

/** The manifest of one package with its links, as npm shows them and as provenance is checked by. */
export function withLinks(manifest, folder, { repository, docs }) {
  return {
    ...manifest,
    homepage: docs === undefined ? `${repository}/tree/main/packages/${folder}#readme` : `${docs}/packages/${folder}`,
    bugs: `${repository}/issues`,
    repository: { type: 'git', url: `git+${repository}.git`, directory: `packages/${folder}` },
  }
}

/** A package's README with links that hold wherever it is read. */
export function readmeWithLinks(text, { repository, docs }) {
  return text.replace(/\]\(\.\.\/\.\.\/docs\/([\w/-]+)\.md(#[\w-]+)?\)/g, (_, page, part = '') =>
    docs === undefined ? `](${repository}/blob/main/docs/${page}.md${part})` : `](${docs}/${page}${part})`,
  )
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const address = addressOf()
  if (address.repository === undefined)
    throw new Error('Nobody says where the repository is: set GITHUB_REPOSITORY to "owner/name", and DOCS_URL where the documentation is published')
  for (const folder of readdirSync('packages')) {
    const path = `packages/${folder}/package.json`
    const manifest = withLinks(JSON.parse(readFileSync(path, 'utf8')), folder, address)
    writeFileSync(path, `${JSON.stringify(manifest, null, 2)}\n`)
    const readme = `packages/${folder}/README.md`
    writeFileSync(readme, readmeWithLinks(readFileSync(readme, 'utf8'), address))
  }
  console.log(`packages point to ${address.repository}`)
}
