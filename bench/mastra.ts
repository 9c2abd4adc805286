import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { aiSdkOf, type Peer } from './peers.ts'

const version = '1.71.0'

/** What is used of `@mastra/core/processors`. */
interface Processors {
  readonly TokenLimiterProcessor: new (options: {
    readonly limit: number
  }) => { processLLMRequest(args: { readonly prompt: readonly unknown[] }): Promise<unknown> }
}

/**
 * Mastra's token limiter. It brings 150 packages of 130 MB, more than every contributor should install: `npm run bench -- --mastra` fetches it with npm,
 * once, into the cache of this project and not into its dependencies.
 */
export async function mastraPeers(): Promise<readonly Peer[]> {
  const folder = join(import.meta.dirname, '../node_modules/.cache/precis-bench', `mastra-${version}`)
  if (!existsSync(join(folder, 'node_modules/@mastra/core/package.json'))) {
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, 'package.json'), '{ "private": true }\n')
    execFileSync('npm', ['install', '--no-audit', '--no-fund', '--ignore-scripts', `@mastra/core@${version}`], { cwd: folder, stdio: 'inherit' })
  }
  const entry = createRequire(join(folder, 'package.json')).resolve('@mastra/core/processors')
  const { TokenLimiterProcessor } = (await import(pathToFileURL(entry).href)) as Processors
  return [
    {
      name: 'TokenLimiterProcessor (Mastra)',
      run: (messages, target) => {
        const prompt = messages
          .map(aiSdkOf)
          .map((message) => (message.role === 'user' ? { ...message, content: [{ type: 'text', text: message.content }] } : message))
        const limiter = new TokenLimiterProcessor({ limit: target })
        return () => limiter.processLLMRequest({ prompt })
      },
    },
  ]
}
