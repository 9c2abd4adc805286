// All that can be done in this repository, by name: `node scripts/run.mjs <task> [arguments]`; without a name, the list. Needs Node 20 and npm: the pinned pnpm
// is fetched, and installs what is missing (a Node of its own among it) before it runs anything.
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

const source = ['node', '--conditions=@precis/source']

/** What each task does, and its steps, one after another; arguments go to the last. What turbo runs is cached. */
export const tasks = {
  test: ['all tests of all packages; `-- --project core` for one', ['vitest', 'run']],
  coverage: ['the same, and what they cover', ['vitest', 'run', '--coverage']],
  build: ['every package into its `dist/`', ['turbo', 'run', 'build']],
  typecheck: ['types of everything, tests and examples among it', ['turbo', 'run', 'typecheck', 'typecheck:tools']],
  lint: [
    'style, module boundaries, unused code, changesets, generated parts of documents',
    ['biome', 'ci', '.'],
    ['node', 'scripts/check-boundaries.mjs'],
    ['knip'],
    ['node', 'scripts/check-changesets.mjs'],
    ['node', 'scripts/generate.mjs'],
  ],
  format: ['puts everything into its style', ['biome', 'check', '--write', '.']],
  generate: ['parts of documents that are made from code; `-- --write` fills them', ['node', 'scripts/generate.mjs']],
  packages: ['what a package manager sees: exports, types, files', ['turbo', 'run', 'check:pkg']],
  size: ['bytes that a browser would load, against their limits', ['turbo', 'run', 'build', '--filter=@precis/core'], ['node', 'scripts/check-size.mjs']],
  nodes: ['the built AI SDK adapter under Node 20, 22 and 24', ['turbo', 'run', 'build', '--filter=@precis/ai-sdk'], ['node', 'scripts/check-nodes.mjs']],
  release: [
    'a release, dry: tarballs in fresh projects, three programs before and after',
    ['turbo', 'run', 'build'],
    ['node', '--experimental-vm-modules', '--no-warnings', 'scripts/release-dry.mjs'],
  ],
  demo: ['an agent reads this repository; `-- your-transcript.jsonl` compacts that', ['pnpm', '--filter', 'examples', 'demo']],
  'demo:local': ['a real model on your processor, past its window', ['pnpm', '--filter', 'examples', 'demo:local']],
  examples: ['every example of the documents', ['pnpm', '--filter', 'examples', 'run', 'examples']],
  commands: ['every command and configuration that the documents show', [...source, 'scripts/commands.mjs']],
  docs: ['the documentation site', ['pnpm', '--filter', 'docs', 'site']],
  evals: ['what is still there after a compaction; `-- gate`, `store`, `replay`, `recorded`, `fit`, `redaction`', [...source, 'evals/main.ts']],
  soak: ['random sessions against a strict provider; `-- --sessions=1000`', [...source, 'soak/main.ts']],
  bench: ['speed and memory; `-- --gate` compares with the bars', [...source, 'bench/main.ts']],
  'bench:peers': ['LangChain’s own middleware beside ours', ['pnpm', '--filter', '@precis/langchain', 'run', 'peers']],
  'test:integration': [
    'real servers: S3, Redis, PostgreSQL, a collector, a browser; then 200 killed writers',
    ['pnpm', '--filter', 'integration', 'run', 'integration'],
    ['PRECIS_KILLS=200', 'vitest', 'run', '--project', 'storage-fs', '-t', 'killed'],
  ],
  version: ['versions and changelogs from the changesets; for the release workflow', ['changeset', 'version']],
  publish: ['builds and publishes; for the release workflow', ['turbo', 'run', 'build'], ['changeset', 'publish']],
}

function run(name, given) {
  const found = tasks[name]
  if (found === undefined) {
    const list = Object.entries(tasks).map(([task, [what]]) => `  ${task.padEnd(18)}${what}`)
    const problem = name === undefined ? [] : [`There is no task "${name}". There are:`]
    console.error([...problem, ...list].join('\n'))
    return name === undefined ? 0 : 1
  }
  const { packageManager } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))
  const base = {
    ...process.env,
    PRECIS_CWD: process.env.INIT_CWD ?? process.cwd(),
    TURBO_TELEMETRY_DISABLED: '1',
    npm_config_yes: 'true',
    npm_config_loglevel: 'error',
  }
  const [, ...steps] = found
  for (const [at, step] of steps.entries()) {
    const isSet = (word) => /^[A-Z_]+=/.test(word)
    const env = { ...base, ...Object.fromEntries(step.filter(isSet).map((word) => word.split('='))) }
    const words = [...step.filter((word) => !isSet(word)), ...(at === steps.length - 1 ? given : [])]
    const call = words[0] === 'pnpm' ? words.slice(1) : ['exec', ...words]
    const { status } = spawnSync('npx', ['--yes', packageManager, ...call], {
      stdio: 'inherit',
      env,
      cwd: new URL('../', import.meta.url).pathname,
      shell: process.platform === 'win32',
    })
    if (status !== 0) return status ?? 1
  }
  return 0
}

if (process.argv[1] === new URL(import.meta.url).pathname) process.exit(run(process.argv[2], process.argv.slice(3)))
