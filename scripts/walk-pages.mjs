// Every program of the READMEs and of docs/ as a reader pastes it, from the packed tarballs: for each README an empty project with what it installs, for the pages of
// docs/ one with what they import. Compiled by plain tsc, and run with the provider replaced by its base URL.
import { execFile } from 'node:child_process'
import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { recallModel, strictProvider } from '../packages/testkit/dist/index.js'

/** Programs that are compiled only, and what they would need. */
const compiledOnly = {
  // integration/readmes.test.ts runs these two.
  'redis.ts': 'Redis',
  'workers.ts': 'Redis',
  // integration/workers.test.ts runs this one.
  'guides/worker.ts': 'Cloudflare D1',
  // The task `examples` leads these to the loopback.
  'clouds/azure.ts': 'Azure',
  'clouds/bedrock.ts': 'Amazon Bedrock',
  'clouds/ollama.ts': 'Ollama',
  'clouds/vertex.ts': 'Vertex AI',
  'guides/mcp.ts': 'a server that npx fetches',
}

const final = 'All read.'
const reader = recallModel({ steps: [{ tool: 'read_file', input: () => ({ path: 'package.json' }) }], final })
const model = (prompt, declared) => (declared.tools.length > 0 ? reader(prompt, declared) : { text: final, calls: [] })

/** Programs of a text, by their files in examples/, each once. */
function programsOf(text) {
  const found = [...text.matchAll(/```ts\n\/\/ examples\/([\w/-]+\.ts)\n([\s\S]*?)```/g)].map(([, file, code]) => [file, code])
  return [...new Map(found)].map(([file, code]) => ({ file, code }))
}

/** Packages that programs import, without what Node has. */
function importsOf(programs) {
  const specifiers = programs.flatMap(({ code }) => [...code.matchAll(/^(?:import .*|\} )?from '([^']+)'/gm)].map(([, specifier]) => specifier))
  return new Set(specifiers.filter((specifier) => !specifier.startsWith('node:')).map((specifier) => /^(?:@[^/]+\/)?[^/]+/.exec(specifier)[0]))
}

/** Packages that a README tells its reader to install. */
function installsOf(readme, imports) {
  const named = [...readme.matchAll(/npm install ([^`\n]+)/g)].flatMap(([, names]) => names.split(' '))
  const missing = [...imports].filter((name) => !named.includes(name))
  if (missing.length > 0) throw new Error(`imports ${missing.join(', ')}, which it does not install`)
  return named
}

/** A package's version in the examples. */
function versionOf(root, name) {
  const version = JSON.parse(readFileSync(join(root, 'examples/package.json'), 'utf8')).dependencies[name]
  if (version === undefined) throw new Error(`installs ${name}, which examples/package.json does not have`)
  return version === 'catalog:' ? new RegExp(`^ +"?${name}"?: (.+)$`, 'm').exec(readFileSync(join(root, 'pnpm-workspace.yaml'), 'utf8'))[1] : version
}

/** Runs a program against a provider of its own. S3 and the collector are answered by 404: an empty bucket, and nobody who listens. @throws Error with what it said. */
async function runPasted(name, run) {
  const provider = await strictProvider({ window: 400_000, model })
  const env = {
    OPENAI_BASE_URL: provider.url,
    OPENAI_API_KEY: 'none',
    OPENAI_AGENTS_DISABLE_TRACING: '1',
    MASTRA_TELEMETRY_DISABLED: '1',
    AWS_ENDPOINT_URL_S3: provider.url,
    AWS_REGION: 'us-east-1',
    AWS_ACCESS_KEY_ID: 'none',
    AWS_SECRET_ACCESS_KEY: 'none',
    OTLP_ENDPOINT: `${provider.url}/traces`,
  }
  const { stdout, stderr, code = 0 } = await run(process.execPath, [name], env).catch((error) => error)
  await provider.close()
  const refused = provider.requests.filter(({ status }) => status !== 200).length
  if (code !== 0 || refused > 0) throw new Error(`${name} ended with ${code}, ${refused} requests refused\n${stdout}\n${stderr}`)
  if (provider.requests.length > 0 && !stdout.includes(final)) throw new Error(`${name} has no answer\n${stdout}`)
}

/** @param pages - One README, or several pages of docs/. */
async function walkTogether(name, pages, { work, root, files }) {
  const text = pages.map((page) => readFileSync(join(root, page), 'utf8')).join('\n')
  const programs = programsOf(text)
  if (programs.length === 0) return 0
  const folder = join(work, `walk-${name.replace(/\W/g, '-')}`)
  mkdirSync(folder)
  const imports = importsOf(programs)
  const packages = name === 'docs' ? [...imports] : installsOf(text, imports)
  const installed = packages.map((one) => [one, files[one] ?? versionOf(root, one)])
  const manifest = {
    private: true,
    type: 'module',
    dependencies: Object.fromEntries(installed),
    devDependencies: { typescript: '5.9.3', '@types/node': '24.19.2' },
    // Tarballs name each other by version; until those are published, the tarballs stand for them.
    overrides: files,
  }
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest))
  const compilerOptions = { target: 'es2022', module: 'nodenext', strict: true, noEmit: true, skipLibCheck: true }
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions }))
  const nameOf = (file) => file.replaceAll('/', '-')
  for (const { file, code } of programs) writeFileSync(join(folder, nameOf(file)), code)
  const options = { cwd: folder, timeout: 300_000 }
  const run = (file, args, env = {}) => promisify(execFile)(file, args, { ...options, env: { ...process.env, npm_config_loglevel: 'error', ...env } })
  await run('npm', ['install', '--no-audit', '--no-fund', '--prefer-offline'])
  await run(process.execPath, ['node_modules/typescript/bin/tsc']).catch(({ stdout }) => {
    throw new Error(stdout)
  })
  const { examples } = JSON.parse(readFileSync(join(root, 'examples/package.json'), 'utf8')).scripts
  for (const { file } of programs) {
    if (compiledOnly[file] !== undefined) continue
    if (!examples.split(' ').includes(file)) throw new Error(`examples/${file} is not run by the task examples`)
    await runPasted(nameOf(file), run)
  }
  const compiled = programs.map(({ file }) => file).filter((file) => compiledOnly[file] !== undefined)
  const waiting = compiled.map((file) => `; ${file} compiles, and needs ${compiledOnly[file]}`).join('')
  console.log(`walk, ${name}: ${programs.length - compiled.length} of ${programs.length} programs run as pasted${waiting}`)
  return programs.length
}

/** @param tarballs - Paths by package name. @throws Error naming the page, the program and what it said. */
export async function walkPages(work, root, tarballs) {
  const files = Object.fromEntries(Object.entries(tarballs).map(([name, path]) => [name, `file:${path}`]))
  const readmes = ['README.md', ...globSync('packages/*/README.md', { cwd: root }).sort()].map((page) => [page, [page]])
  const docs = ['docs', globSync(['docs/*.md', 'docs/guides/*.md'], { cwd: root }).sort()]
  let walked = 0
  for (const [name, pages] of [...readmes, docs]) {
    walked += await walkTogether(name, pages, { work, root, files }).catch((error) => {
      throw new Error(`${name}: ${error.message}\n${error.stdout ?? ''}`)
    })
  }
  if (walked === 0) throw new Error('no page has a program: the check is blind')
  console.log(`walk, pages: ${walked} programs compile under TypeScript 5.9`)
}
