import { spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'

/** A program of the AI SDK in a process of its own: calls a model with a long conversation that holds secrets, and says what went over the wire. */
const program = `
  import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
  import { generateText } from 'ai'
  import { withCompaction } from './src/index.ts'
  import { fsStorage } from '../storage-fs/src/index.ts'
  const [root, session] = process.argv.slice(1)
  const token = 'sk-' + 'proj-' + 'a1B2c3D4'.repeat(6)
  const said = (at) => Array.from({ length: 120 }, (_, line) => at + ': line ' + line + ' says nothing new of the build').join(' ')
  const messages = [1, 2, 3, 4, 5, 6].flatMap((at) => [
    { role: 'user', content: 'Question ' + at + '. The key is ' + token + ', DB_PASSWORD=correct-horse-' + 'battery. ' + said(at) },
    { role: 'assistant', content: 'Answer ' + at + '. ' + said(at) },
  ])
  const bodies = []
  const fetch = async (_, { body }) => {
    bodies.push(body)
    const choices = [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: 'ok' } }]
    return Response.json({ id: 'r', object: 'chat.completion', created: 0, model: 'm', choices, usage: { prompt_tokens: 100, completion_tokens: 1, total_tokens: 101 } })
  }
  const inner = createOpenAICompatible({ baseURL: 'http://localhost', apiKey: 'none', name: 'own', fetch })('m')
  const model = withCompaction(inner, { limits: { contextWindow: 6000, maxOutput: 500 }, storage: fsStorage({ root }) })
  await generateText({ model, messages: [...messages, { role: 'user', content: 'And?' }], providerOptions: { precis: { session } } })
  process.stdout.write(bodies.at(-1))
`

function sent(root: string, session: string): Promise<string> {
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

it('processes that share a folder send the same bytes, secrets among them', async () => {
  const root = await mkdtemp(join(tmpdir(), 'precis-processes-'))
  try {
    const bodies = [...(await Promise.all([sent(root, 'a'), sent(root, 'b')])), await sent(root, 'c')]
    expect(bodies[0]).toMatch(/\[[a-z-]+:[0-9a-f]{6}\]/)
    expect(new Set(bodies).size).toBe(1)
  } finally {
    await rm(root, { recursive: true, force: true })
  }
})
