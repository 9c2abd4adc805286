// Runs a package script with the pinned pnpm, so that a machine with only Node and npm can build, test and demo.
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

const { packageManager } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))
const env = {
  ...process.env,
  PRECIS_CWD: process.env.INIT_CWD ?? process.cwd(),
  TURBO_TELEMETRY_DISABLED: '1',
  npm_config_yes: 'true',
  npm_config_loglevel: 'error',
}
const result = spawnSync('npx', ['--yes', packageManager, 'run', ...process.argv.slice(2)], {
  stdio: 'inherit',
  env,
  shell: process.platform === 'win32',
})
process.exit(result.status ?? 1)
