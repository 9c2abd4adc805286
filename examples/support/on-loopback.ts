// Runs programs that talk to OpenAI, one after another, against a local provider that refuses what the real one would: node support/on-loopback.ts first/ai-sdk.ts
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { recallModel, strictProvider } from '@precis/testkit'

const final = 'It needs what it lists.'
const steps = [{ tool: 'read_file', input: () => ({ path: 'package.json' }) }]
const reader = recallModel({ steps, final })
for (const program of process.argv.slice(2)) {
  const provider = await strictProvider({
    window: 400_000,
    model: (prompt, declared) =>
      declared.tools.length > 0
        ? reader(prompt, declared)
        : { text: final, calls: [] },
  })
  const env = {
    ...process.env,
    OPENAI_BASE_URL: provider.url,
    OPENAI_API_KEY: 'none',
    OPENAI_AGENTS_DISABLE_TRACING: '1',
    MASTRA_TELEMETRY_DISABLED: '1',
    AWS_REGION: 'us-east-1',
    AWS_BEARER_TOKEN_BEDROCK: 'none',
    AWS_ACCESS_KEY_ID: 'none',
    AWS_SECRET_ACCESS_KEY: 'none',
    // An empty bucket and a collector that takes nothing: all is answered by 404.
    AWS_ENDPOINT_URL_S3: provider.url,
    OTLP_ENDPOINT: `${provider.url}/traces`,
    AZURE_RESOURCE_NAME: 'none',
    AZURE_API_KEY: 'none',
    GOOGLE_VERTEX_API_KEY: 'none',
  }
  const redirect = import.meta.resolve('./redirect.ts')
  const child = spawn(
    process.execPath,
    [...process.execArgv, '--import', redirect, program],
    { env, stdio: 'inherit' },
  )
  const [code] = await once(child, 'exit')
  await provider.close()
  const { requests } = provider
  const least = requests.some(({ declared }) => declared.tools.length > 0)
    ? 2
    : 1
  if (code !== 0 || requests.length < least)
    throw new Error(
      `${program} ended with ${code} after ${requests.length} requests`,
    )
}
