// Runs programs whose task does not fit into the window, one after another, against a local provider that refuses what the real one would: only who compacts finishes.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { strictProvider } from '@precis/testkit'

const reads = 8
for (const program of process.argv.slice(2)) {
  let read = 0
  const provider = await strictProvider({
    window: 400_000,
    model: (prompt, { tools }) => {
      // A request without tools is one for a summary: every section it names, filled.
      const headings = [
        ...new Set(prompt.flatMap(({ text }) => text.match(/^## .+$/gm) ?? [])),
      ]
      if (!tools.includes('read_file'))
        return {
          text: [...headings, ''].join(
            '\nThe lock file was read; nothing in it is out of order.\n\n',
          ),
          calls: [],
        }
      if (read === reads) return { text: 'Nothing is out of order.', calls: [] }
      return {
        text: '',
        calls: [
          {
            id: `call_${++read}`,
            tool: 'read_file',
            input: JSON.stringify({ path: '../pnpm-lock.yaml' }),
          },
        ],
      }
    },
  })
  const env = {
    ...process.env,
    OPENAI_BASE_URL: provider.url,
    OPENAI_API_KEY: 'none',
    OPENAI_AGENTS_DISABLE_TRACING: '1',
  }
  const child = spawn(process.execPath, [...process.execArgv, program], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let said = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      said += String(chunk)
    })
  const [code] = await once(child, 'close')
  await provider.close()
  const { requests } = provider
  const refused = requests.filter(({ status }) => status !== 200).length
  console.log(`${program}\n${said}`)
  if (code !== 0 || refused !== 0 || !/Nothing is out of order/.test(said))
    throw new Error(
      `${program} ended with ${code} after ${requests.length} requests, ${refused} of them refused`,
    )
}
