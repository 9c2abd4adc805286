import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'

/**
 * A server, in a process of its own, as a test runner reads the stacks of errors that otherwise hold what their functions knew: each chat is followed by a
 * request for its title under the same id. Says how many megabytes the chats left behind.
 */
const program = `
  import { createCompactor, neutralCodec } from './src/index.ts'
  const compactor = createCompactor({ codec: neutralCodec, limits: { contextWindow: 8_000, maxOutput: 1_000 } })
  const said = (role, text) => ({ id: text.slice(0, 20), role, parts: [{ type: 'text', text }] })
  const used = async (from, to) => {
    for (let run = from; run < to; run++) {
      const lines = Array.from({ length: 15_000 }, (_, line) => run + ': line ' + line + ' of the output').join(' ')
      await compactor.session('chat ' + run).beforeModelCall([said('user', 'Question ' + run), said('assistant', lines), said('user', 'And?')])
      await compactor.session('chat ' + run).beforeModelCall([said('user', 'Give chat ' + run + ' a title')])
    }
    await new Promise((resolve) => setTimeout(resolve, 50))
    gc()
    return process.memoryUsage().heapUsed / 1e6
  }
  const before = await used(0, 10)
  process.stdout.write(String((await used(10, 50)) - before))
`

it('a chat of 450 kB whose title was asked for under the same id is let go of', async () => {
  const args = ['--expose-gc', '--conditions=@precis/source', '--input-type=module', '-e', program]
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: new URL('../..', import.meta.url).pathname })
  expect(Number(stdout)).toBeLessThan(10)
})
