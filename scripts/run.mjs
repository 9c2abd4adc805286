// All that can be done in this repository, by name: `node scripts/run.mjs <task> [arguments]`; without a name, the list. Needs Node 20 and npm: the pinned pnpm
// is fetched, and installs what is missing (a Node of its own among it) before it runs anything.
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { tasks } from './tasks.mjs'

const root = fileURLToPath(new URL('../', import.meta.url))
const { packageManager } = JSON.parse(readFileSync(`${root}package.json`, 'utf8'))
const env = {
  ...process.env,
  PRECIS_CWD: process.env.INIT_CWD ?? process.cwd(),
  TURBO_TELEMETRY_DISABLED: '1',
  // What was compiled once is compiled for all processes of a run, and of the next.
  NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? `${root}node_modules/.cache/compiled`,
  npm_config_yes: 'true',
  npm_config_loglevel: 'error',
}

/** Runs one step, such as `['PRECIS_KILLS=200', 'vitest', 'run']`. @returns its exit code. */
function runStep(step) {
  const words = step.filter((word) => !/^[A-Z_]+=/.test(word))
  const own = Object.fromEntries(step.filter((word) => !words.includes(word)).map((word) => word.split('=')))
  const call = words[0] === 'pnpm' ? words.slice(1) : ['exec', ...words]
  const options = { stdio: 'inherit', cwd: root, env: { ...env, ...own }, shell: process.platform === 'win32' }
  return spawnSync('npx', ['--yes', packageManager, ...call], options).status ?? 1
}

const [name, ...given] = process.argv.slice(2)
const [, ...steps] = tasks[name] ?? []
if (steps.length === 0) {
  if (name !== undefined) console.error(`There is no task "${name}". There are:`)
  for (const [task, [what]] of Object.entries(tasks)) console.log(`${task.padEnd(18)}${what}`)
  process.exitCode = name === undefined ? 0 : 1
}
for (const [at, step] of steps.entries()) {
  process.exitCode = runStep(at === steps.length - 1 ? [...step, ...given] : step)
  if (process.exitCode !== 0) break
}
