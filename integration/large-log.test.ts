import { execFile } from 'node:child_process'
import { createWriteStream } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { isWhole } from './whole.ts'

const main = join(import.meta.dirname, '../packages/cli/src/main.ts')
/** V8 collects at once and in one thread, so that what is held decides, and not what else the machine does. */
const collecting = ['--single-threaded-gc', '--no-incremental-marking']
/** Ends with "heap out of memory" where more of a log is held than `heap` megabytes, some 25 of which are the program. */
const compactctl = async (heap: number, ...args: readonly string[]): Promise<string> =>
  (
    await promisify(execFile)(process.execPath, [`--max-old-space-size=${heap}`, ...collecting, '--conditions=@precis/source', main, ...args], {
      maxBuffer: 2 ** 26,
    })
  ).stdout

/** A session log of Claude Code, about `megabytes` large. */
function* lines(megabytes: number): Generator<string> {
  yield `${JSON.stringify({ type: 'user', uuid: 'u', message: { role: 'user', content: 'Fix the parser, ticket PARSE-77.' } })}\n`
  for (let at = 0, bytes = 0; bytes < megabytes * 2 ** 20; at++) {
    const output = Array.from({ length: 300 + ((at * 37) % 1_500) }, (_, line) => `export const value_${at}_${line} = compute(${(at * line) % 9_973})`).join(
      '\n',
    )
    const call = { type: 'tool_use', id: `c${at}`, name: 'Read', input: { file_path: `/src/module-${at}.ts` } }
    const text = [
      { type: 'assistant', uuid: `a${at}`, message: { role: 'assistant', content: [call] } },
      { type: 'user', uuid: `r${at}`, message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: `c${at}`, content: output }] } },
    ]
      .map((value) => `${JSON.stringify(value)}\n`)
      .join('')
    bytes += text.length
    yield text
  }
}

/** Megabytes that are inspected, that are compacted, and the memory for that. */
const inspected = isWhole ? 1_100 : 300
const compacted = [isWhole ? 100 : 40, 48] as const

let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'precis-large-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))
const logOf = async (megabytes: number): Promise<string> => {
  const path = join(folder, `${megabytes}.jsonl`)
  await pipeline(Readable.from(lines(megabytes)), createWriteStream(path))
  return path
}

describe('logs larger than the memory that is given', () => {
  it(`${inspected} MB are inspected in 64 MB`, async () => {
    const [found] = JSON.parse(await compactctl(64, 'inspect', await logOf(inspected), '--json')) as [{ format: string; tokens: number }]
    expect(found.format).toBe('claude-code')
    expect(found.tokens).toBeGreaterThan(90_000 * inspected)
  })
  it(`${compacted[0]} MB are compacted in ${compacted[1]} MB`, async () => {
    const out = join(folder, 'out.jsonl')
    await compactctl(compacted[1], 'compact', await logOf(compacted[0]), '--stream', '--window', '64000', '--out', out)
    const text = await readFile(out, 'utf8')
    expect(text.length).toBeLessThan(64_000 * 4)
    expect(text).toContain('ticket PARSE-77')
    expect(text).toContain('context-summary')
  })
})
