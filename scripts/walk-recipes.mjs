// Every program of docs/recipes.md as a reader pastes it: in an empty project with what it imports, from the packed tarballs, the provider replaced by its base URL.
import { execFile } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { recallModel, strictProvider } from '../packages/testkit/dist/index.js'

const steps = [{ tool: 'read_file', input: () => ({ path: 'package.json' }) }]

/** Programs of a page, by name. */
function programsOf(page) {
  const found = [...page.matchAll(/```ts\n\/\/ examples\/([\w/-]+)\.ts\n([\s\S]*?)```/g)].map(([, name, code]) => [name.replaceAll('/', '-'), code])
  if (found.length === 0) throw new Error('the recipes have no program: the check is blind')
  return found
}

/** Packages that programs import, without what Node has. */
function packagesOf(programs) {
  const specifiers = programs.flatMap(([, code]) => [...code.matchAll(/^(?:import .*|\} )?from '([^']+)'/gm)].map(([, specifier]) => specifier))
  const local = specifiers.find((specifier) => specifier.startsWith('.'))
  if (local !== undefined) throw new Error(`a recipe imports ${local}, a file of this repository`)
  const packages = specifiers.filter((specifier) => !specifier.startsWith('node:')).map((specifier) => /^(?:@[^/]+\/)?[^/]+/.exec(specifier)[0])
  return [...new Set(packages)]
}

/** @param tarballs - Paths by package name. @throws Error naming the program and what it said. */
export async function walkRecipes(work, root, tarballs) {
  const folder = join(work, 'walk-recipes')
  mkdirSync(folder)
  const programs = programsOf(readFileSync(join(root, 'docs/recipes.md'), 'utf8'))
  const { dependencies } = JSON.parse(readFileSync(join(root, 'examples/package.json'), 'utf8'))
  const catalog = readFileSync(join(root, 'pnpm-workspace.yaml'), 'utf8')
  const versionOf = (name) => {
    const version = dependencies[name]
    if (version === undefined) throw new Error(`a recipe imports ${name}, which examples/package.json does not have`)
    return version === 'catalog:' ? new RegExp(`^ +"?${name}"?: (.+)$`, 'm').exec(catalog)[1] : version
  }
  const files = Object.fromEntries(Object.entries(tarballs).map(([name, path]) => [name, `file:${path}`]))
  const installed = Object.fromEntries(packagesOf(programs).map((name) => [name, files[name] ?? versionOf(name)]))
  const manifest = {
    name: 'walk-recipes',
    private: true,
    type: 'module',
    // What a framework wants beside it is installed with it.
    dependencies: { ...installed, '@langchain/core': versionOf('@langchain/core') },
    devDependencies: { typescript: '5.9.3', '@types/node': '24.19.2', '@types/json-schema': '7.0.15' },
    // Tarballs name each other by version; until those are published, the tarballs stand for them.
    overrides: files,
  }
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest))
  const compilerOptions = { target: 'es2022', module: 'nodenext', strict: true, noEmit: true, skipLibCheck: true }
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions }))
  for (const [name, code] of programs) writeFileSync(join(folder, `${name}.ts`), code)
  const run = (file, args, env = {}) => promisify(execFile)(file, args, { cwd: folder, env: { ...process.env, npm_config_loglevel: 'error', ...env } })
  await run('npm', ['install', '--no-audit', '--no-fund', '--legacy-peer-deps'])
  await run(process.execPath, ['node_modules/typescript/bin/tsc'])
  for (const [name] of programs) {
    const provider = await strictProvider({ window: 400_000, model: recallModel({ steps, final: 'All read.', questions: [] }) })
    const env = { OPENAI_BASE_URL: provider.url, OPENAI_API_KEY: 'none', OPENAI_AGENTS_DISABLE_TRACING: '1' }
    const { stdout, stderr, code = 0 } = await run(process.execPath, [`${name}.ts`], env).catch((error) => error)
    await provider.close()
    const refused = provider.requests.filter(({ status }) => status !== 200).length
    if (code !== 0 || refused > 0) throw new Error(`the recipe ${name} ended with ${code}, ${refused} requests refused\n${stdout}\n${stderr}`)
    if (provider.requests.length > 0 && !stdout.includes('All read.')) throw new Error(`the recipe ${name} has no answer\n${stdout}`)
  }
  console.log(`walk, recipes: ${programs.length} programs run as pasted, and compile under TypeScript 5.9`)
}
