// gitleaks and the examples of its rules, from Go's module proxy. Nothing of it is kept: it is built into a folder of its own for one run.
import { execFileSync } from 'node:child_process'
import { copyFileSync, cpSync, mkdirSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const module = 'github.com/zricethezav/gitleaks/v8'
export const version = '8.30.1'

/** One example of a rule. */
export interface Example {
  readonly rule: string
  /** It holds a secret. */
  readonly real: boolean
  readonly text: string
  /** The secrets in it, as the rule finds them. */
  readonly values?: readonly string[]
  /** The secret alone, which the rule finds like that too. */
  readonly bare?: boolean
}

export interface Gitleaks {
  readonly examples: readonly Example[]
  /** Counts what it finds in files. */
  count(files: readonly string[]): { readonly findings: number; readonly milliseconds: number }
}

export function installGitleaks(): Gitleaks {
  const folder = mkdtempSync(join(tmpdir(), 'precis-gitleaks-'))
  const go = (...args: readonly string[]): string =>
    execFileSync('go', args, { cwd: folder, encoding: 'utf8', maxBuffer: 2 ** 28, env: { ...process.env, GOFLAGS: '-mod=mod' } })
  go('mod', 'init', 'precis.example/secrets')
  go('get', `${module}@v${version}`)
  const source = go('list', '-m', '-f', '{{.Dir}}', module).trim()
  // A copy of its own: what lies in the module cache may not be replaced.
  const copy = join(folder, 'source')
  cpSync(source, copy, { recursive: true })
  execFileSync('chmod', ['-R', 'u+w', copy])
  copyFileSync(join(import.meta.dirname, 'validate.go.txt'), join(copy, 'cmd/generate/config/utils/validate.go'))
  go('build', '-C', copy, '-o', join(folder, 'examples'), './cmd/generate/config')
  mkdirSync(join(folder, 'count'))
  copyFileSync(join(import.meta.dirname, 'count.go.txt'), join(folder, 'count/main.go'))
  go('build', '-o', join(folder, 'counter'), './count')
  const printed = execFileSync(join(folder, 'examples'), [join(folder, 'config.toml')], {
    cwd: join(copy, 'cmd/generate/config'),
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
  })
  return {
    examples: printed
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Example),
    count: (files) =>
      JSON.parse(execFileSync(join(folder, 'counter'), [], { input: files.join('\n'), encoding: 'utf8', maxBuffer: 2 ** 26 })) as {
        findings: number
        milliseconds: number
      },
  }
}
