// Texts that are not ours and hold no secrets to speak of: what a redactor changes in them are false alarms, or examples that others left there.
import { execFileSync } from 'node:child_process'
import { existsSync, globSync, mkdtempSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { generateHistory } from '@precis/testkit'

export interface Corpus {
  readonly name: string
  readonly files: readonly string[]
}

const megabytes = 20_000_000
const root = join(import.meta.dirname, '../..')

/** Every n-th file, so that all packages have their say, up to 20 MB. */
function spread(files: readonly string[], accept: (name: string) => boolean): readonly string[] {
  const sorted = files.filter(accept).toSorted()
  const sizes = sorted.map((name) => statSync(name).size)
  const total = sizes.reduce((sum, size) => sum + size, 0)
  const every = Math.max(1, Math.floor(total / megabytes))
  let taken = 0
  return sorted.filter((_, at) => {
    if (at % every !== 0 || taken >= megabytes) return false
    taken += sizes[at] ?? 0
    return true
  })
}

const small = (name: string): boolean => statSync(name).isFile() && statSync(name).size < 600_000 && !readFileSync(name).includes(0)

export function corpora(): readonly Corpus[] {
  const go = (...args: readonly string[]): string => execFileSync('go', args, { encoding: 'utf8', maxBuffer: 2 ** 28 })
  const own = mkdtempSync(join(tmpdir(), 'precis-corpora-'))
  const written = (name: string, text: string): string => {
    const path = join(own, name)
    writeFileSync(path, text.slice(0, megabytes))
    return path
  }
  const transcripts = process.env['PRECIS_TRANSCRIPTS']
  const [modules, source] = [go('env', 'GOMODCACHE').trim(), join(go('env', 'GOROOT').trim(), 'src')]
  return [
    {
      name: 'code of packages (node_modules)',
      files: spread(
        globSync(join(root, 'node_modules/.pnpm/*/node_modules/**/*.{js,mjs,cjs,ts,json,md}')),
        (name) => !name.includes('secretlint') && small(name),
      ),
    },
    {
      name: 'Go (module cache and standard library)',
      // The module that has the examples is no corpus without secrets, and a test of a library for tokens holds tokens: which of them is drawn depends on what else a machine has built.
      files: spread(
        [...globSync(`${modules}/**/*.go`), ...globSync(`${source}/**/*.go`)],
        (name) => !name.includes('gitleaks') && !name.endsWith('_test.go') && small(name),
      ),
    },
    {
      name: 'logs',
      files: [
        written(
          'listing.log',
          execFileSync('ls', ['-lR', '--time-style=full-iso', join(root, 'node_modules/.pnpm')], { encoding: 'utf8', maxBuffer: 2 ** 30 }),
        ),
        written('build.log', go('list', '-json', 'std')),
        ...globSync('/var/log/**/*.log').filter(small),
      ],
    },
    {
      name: transcripts === undefined ? 'transcripts (made)' : 'transcripts',
      files:
        transcripts !== undefined && existsSync(transcripts)
          ? globSync(`${transcripts}/*.jsonl`)
          : [written('made.jsonl', Array.from({ length: 40 }, (_, seed) => JSON.stringify(generateHistory(seed, { turns: 40 }))).join('\n'))],
    },
  ]
}
