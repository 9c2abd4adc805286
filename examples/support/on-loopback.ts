// Runs programs that talk to OpenAI, one after another, against a local provider that refuses what the real one would: node support/on-loopback.ts first/ai-sdk.ts
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { recallModel, strictProvider } from '@precis/testkit'

const steps = [{ tool: 'read_file', input: () => ({ path: 'package.json' }) }]
for (const program of process.argv.slice(2)) {
  const provider = await strictProvider({
    window: 400_000,
    model: recallModel({
      steps,
      final: 'It needs what it lists.',
      questions: [],
    }),
  })
  const env = {
    ...process.env,
    OPENAI_BASE_URL: provider.url,
    OPENAI_API_KEY: 'none',
    OPENAI_AGENTS_DISABLE_TRACING: '1',
    MASTRA_TELEMETRY_DISABLED: '1',
    AWS_REGION: 'us-east-1',
    AWS_BEARER_TOKEN_BEDROCK: 'none',
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
  if (code !== 0 || provider.requests.length < 2)
    throw new Error(
      `${program} ended with ${code} after ${provider.requests.length} requests`,
    )
}
