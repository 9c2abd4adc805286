import { spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'

/** A real process: compacts one conversation with secrets in it, and says what it would send. */
const program = `
  import { createCompactor, neutralCodec } from '@precis/core'
  import { call, history, result, user } from '@precis/testkit'
  import { fsStorage } from './src/index.ts'
  const token = 'gh' + 'p_' + 'a1B2'.repeat(9)
  const output = (at) => Array.from({ length: 120 }, (_, line) => at + ': line ' + line + ' says nothing new of the build').join('\\n')
  const told = history(user('Begin.'), user('Deploy it with ' + token), ...[1, 2, 3, 4, 5].flatMap((at) => [call('bash', 'c' + at, { at }), result('c' + at, output(at) + token)]), user('And?'))
  const limits = { contextWindow: 6000, maxOutput: 500 }
  const compactor = createCompactor({ codec: neutralCodec, limits, storage: fsStorage({ root: process.argv[1] }) })
  process.stdout.write(JSON.stringify((await compactor.session(process.argv[2]).beforeModelCall(told)).messages))
`

function said(root: string, session: string): Promise<string> {
  const child = spawn(process.execPath, ['--conditions=@precis/source', '--input-type=module', '-e', program, root, session], {
    cwd: new URL('../..', import.meta.url).pathname,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let text = ''
  child.stdout.on('data', (piece: Buffer) => {
    text += piece.toString()
  })
  return new Promise((resolve) => child.once('close', () => resolve(text)))
}

it('processes that share a folder name a secret alike: the same history gives the same bytes', async () => {
  const root = await mkdtemp(join(tmpdir(), 'precis-salt-'))
  try {
    // Two that begin at the same moment in an empty folder, and one that comes later.
    const shown = [...(await Promise.all([said(root, 'a'), said(root, 'b')])), await said(root, 'c')]
    expect(shown[0]).toMatch(/\[github-token:[0-9a-f]{6}\]/)
    expect(new Set(shown).size).toBe(1)
  } finally {
    await rm(root, { recursive: true, force: true })
  }
})
