// Packs every package as a release would, installs the tarballs into fresh projects, and runs what a user would run first: npm and pnpm, Node 22 and 24, bundled, and on
// an edge-like runtime without anything of Node.
import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import vm from 'node:vm'
import { build } from 'esbuild'
import { addressOf, readmeWithLinks, withLinks } from './address.mjs'
import { walk } from './walk.mjs'
import { walkPages } from './walk-pages.mjs'

const root = new URL('../', import.meta.url).pathname
const { packageManager } = JSON.parse(readFileSync(`${root}package.json`, 'utf8'))
const work = mkdtempSync(join(tmpdir(), 'precis-release-'))
const run = (file, args, cwd) =>
  execFileSync(file, args, {
    cwd,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, npm_config_yes: 'true', npm_config_loglevel: 'error' },
  })
const attempt = (what, work) => {
  try {
    return work()
  } catch (error) {
    console.error(`${what} failed\n${error.stdout ?? ''}\n${error.stderr ?? error.message}`)
    process.exit(1)
  }
}

const names = readdirSync(`${root}packages`)
const tarballs = {}
for (const name of names) {
  const own = join(work, 'packed', name)
  mkdirSync(own, { recursive: true })
  attempt(`packing ${name}`, () => run('npx', ['--yes', packageManager, 'pack', '--pack-destination', own], `${root}packages/${name}`))
  tarballs[`@precis/${name}`] = join(
    own,
    readdirSync(own).find((file) => file.endsWith('.tgz')),
  )
}
console.log(`${names.length} packages packed`)
// What a release adds to them: npm checks provenance by the repository.
for (const name of names) {
  const manifest = JSON.parse(readFileSync(`${root}packages/${name}/package.json`, 'utf8'))
  const address = addressOf({ GITHUB_REPOSITORY: 'owner/name', DOCS_URL: 'https://docs.example/' })
  const { repository, homepage, bugs } = withLinks(manifest, name, address)
  const expected = [
    'git+https://github.com/owner/name.git',
    `packages/${name}`,
    `https://docs.example/packages/${name}`,
    'https://github.com/owner/name/issues',
  ]
  if ([repository.url, repository.directory, homepage, bugs].join() !== expected.join()) throw new Error(`${name} does not point to its repository`)
  const readme = readmeWithLinks(readFileSync(`${root}packages/${name}/README.md`, 'utf8'), address)
  if (!readFileSync(`${root}docs/start.md`, 'utf8').includes(`Node ${manifest.engines.node.slice(2)} or newer`))
    throw new Error(`${name} wants Node ${manifest.engines.node}, docs/start.md says something else`)
  if (readme.includes('](..')) throw new Error(`the README of ${name} has a link that holds in the repository only`)
}

const peers = {
  '@langchain/core': '1.4.0',
  '@openai/agents': '0.20.0',
  ai: '7.0.173',
  'gpt-tokenizer': '4.0.0',
  unstorage: '1.17.6',
  zod: '4.6.7',
}
const files = Object.fromEntries(Object.entries(tarballs).map(([name, path]) => [name, `file:${path}`]))
const project = (name) => {
  const folder = join(work, name)
  mkdirSync(folder)
  cpSync(`${root}scripts/release`, folder, { recursive: true })
  cpSync(`${root}examples/data/chat.jsonl`, join(folder, 'chat.jsonl'))
  // Tarballs name each other by version; until those are published, the tarballs stand for them.
  const manifest = { name, version: '0.0.0', private: true, type: 'module', dependencies: { ...files, ...peers }, overrides: files }
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest, null, 2))
  return folder
}
const nodes = { 22: `${root}node_modules/node-22-linux-x64/bin/node`, 24: process.execPath }

const withNpm = project('with-npm')
attempt('npm install', () => run('npm', ['install', '--no-audit', '--no-fund', '--legacy-peer-deps'], withNpm))
const withPnpm = project('with-pnpm')
writeFileSync(
  join(withPnpm, 'pnpm-workspace.yaml'),
  `packages: ["."]\noverrides:\n${Object.entries(files)
    .map(([name, path]) => `  "${name}": "${path}"`)
    .join('\n')}\nallowBuilds:\n  msgpackr-extract: false\n`,
)
attempt('pnpm install', () => run('npx', ['--yes', packageManager, 'install', '--no-frozen-lockfile'], withPnpm))

for (const [manager, folder] of Object.entries({ npm: withNpm, pnpm: withPnpm })) {
  for (const [version, node] of Object.entries(nodes)) {
    if (!existsSync(node)) {
      console.log(`Node ${version}: not installed on this platform, not checked`)
      continue
    }
    console.log(`${manager}, Node ${attempt('node', () => run(node, ['--version'], folder)).trim()}`)
    process.stdout.write(attempt(`${manager} on Node ${version}`, () => run(node, ['smoke.mjs'], folder)))
  }
}
const inspected = JSON.parse(attempt('compactctl', () => run('npx', ['compactctl', 'inspect', 'chat.jsonl', '--json'], withNpm)))
console.log(`compactctl inspect: ${inspected[0].tokens} tokens`)

attempt('compactctl report', () => run('npx', ['compactctl', 'report', 'chat.jsonl', '--out', 'report.html'], withNpm))
console.log(`compactctl report: ${readFileSync(join(withNpm, 'report.html')).length} bytes`)

const compilerOptions = ['--noEmit', '--strict', '--skipLibCheck', '--module', 'nodenext', '--types', '']
attempt('types in CommonJS', () => run(`${root}node_modules/.bin/tsc`, [...compilerOptions, 'commonjs.cts'], withNpm))
console.log('types in CommonJS')

await walk(work, root, tarballs)
await walkPages(work, root, tarballs)

const bundled = await build({
  entryPoints: [join(withNpm, 'edge.mjs')],
  bundle: true,
  format: 'esm',
  platform: 'neutral',
  mainFields: ['module', 'main'],
  conditions: ['edge-light', 'worker', 'browser', 'import'],
  write: false,
  minify: true,
})
const text = bundled.outputFiles[0].text
if (/(?:from|import)\s*\(?["']node:|require\(/.test(text)) throw new Error('the bundle reaches for Node')
const web =
  'crypto TextEncoder TextDecoder AbortController AbortSignal DOMException URL structuredClone setTimeout clearTimeout queueMicrotask performance btoa atob ReadableStream Uint8Array'
const globals = { ...Object.fromEntries(web.split(' ').map((name) => [name, globalThis[name]])), finished: (line) => console.log(line) }
console.log(`edge-like runtime, ${Math.round(text.length / 1_000)} kB bundle, no Node`)
const module = new vm.SourceTextModule(text, { context: vm.createContext(globals) })
await module.link(() => {
  throw new Error('the bundle imports something')
})
await module.evaluate()

const licences = {}
for (const entry of JSON.parse(attempt('npm ls', () => run('npm', ['query', '*'], withNpm)))) {
  if (entry.name === 'with-npm') continue
  const name = typeof entry.license === 'object' ? entry.license?.type : entry.license
  licences[name ?? 'unknown'] = (licences[name ?? 'unknown'] ?? 0) + 1
}
console.log(
  `licences of all that is installed beside us: ${Object.entries(licences)
    .sort((a, b) => b[1] - a[1])
    .map(([name, count]) => `${name} ${count}`)
    .join(', ')}`,
)
const allowed = ['MIT', 'MIT-0', 'ISC', '0BSD', 'Apache-2.0', 'BSD-2-Clause', 'BSD-3-Clause', 'BlueOak-1.0.0', 'Python-2.0', 'CC0-1.0', 'Unlicense']
const mayUse = (name) =>
  name
    .replace(/[()]/g, '')
    .split(' OR ')
    .some((one) => one.split(' AND ').every((part) => allowed.includes(part)))
const others = Object.keys(licences).filter((name) => !mayUse(name))
if (others.length > 0) throw new Error(`licences to look at: ${others.join(', ')}`)

// What a release is made of, for those who must know: CycloneDX, by npm itself.
const bill = attempt('npm sbom', () => run('npm', ['sbom', '--sbom-format', 'cyclonedx', '--omit', 'dev'], withNpm))
writeFileSync(`${root}sbom.cdx.json`, bill)
console.log(`sbom.cdx.json: ${JSON.parse(bill).components.length} components`)
// Gigabytes of small files; a machine that is thrown away takes them with it.
if (!process.env.CI) rmSync(work, { recursive: true, force: true })
