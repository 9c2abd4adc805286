// Runs every `compactctl` command that the documents show, in a folder that holds what they name, and checks that every `npm run` and
// `npm install` names something that is there, and that every configuration in YAML is one.
import { execFileSync } from 'node:child_process'
import { chmodSync, globSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseConfig } from '../packages/config/src/index.ts'
import { createArchive, createCompactor, neutralCodec } from '../packages/core/src/index.ts'
import { fsStorage } from '../packages/storage-fs/src/index.ts'
import { generateHistory, toOpenAIChat } from '../packages/testkit/src/index.ts'

const { scripts } = JSON.parse(readFileSync('package.json', 'utf8'))
const packages = new Set(readdirSync('packages').map((name) => JSON.parse(readFileSync(`packages/${name}/package.json`, 'utf8')).name))
/** What users of the adapters have installed already. */
const frameworks = new Set([
  'ai',
  '@ai-sdk/amazon-bedrock',
  '@ai-sdk/azure',
  '@ai-sdk/google-vertex',
  '@ai-sdk/mcp',
  '@ai-sdk/openai',
  '@ai-sdk/openai-compatible',
  '@ai-sdk/react',
  '@langchain/core',
  '@langchain/langgraph',
  '@langchain/openai',
  '@mastra/core',
  '@openai/agents',
  '@secretlint/core',
  '@secretlint/secretlint-rule-preset-recommend',
  'deepagents',
  'gpt-tokenizer',
  'ioredis',
  'langchain',
  'unstorage',
  'db0',
  'zod',
])

const bin = mkdtempSync(join(tmpdir(), 'precis-bin-'))
writeFileSync(join(bin, 'compactctl'), `#!/bin/sh\nexec "${process.execPath}" --conditions=@precis/source "${resolve('packages/cli/src/main.ts')}" "$@"\n`)
chmodSync(join(bin, 'compactctl'), 0o755)

/** A configuration that a command names, and what it has in variables. */
const configuration = 'storage: { adapter: fs, path: .encrypted }\nencryption: { keyId: k2, keyVariable: PRECIS_KEY_2, olderKeys: { k1: PRECIS_KEY } }\n'
const keys = { PRECIS_KEY: Buffer.alloc(32, 1).toString('base64'), PRECIS_KEY_2: Buffer.alloc(32, 2).toString('base64') }

/** A folder with the files and the archive that the documents speak of. */
async function stage() {
  const folder = mkdtempSync(join(tmpdir(), 'precis-commands-'))
  const lines = (values) => `${values.map((value) => JSON.stringify(value)).join('\n')}\n`
  const history = generateHistory(5, { turns: 180 }) // too large for most of the windows that are named
  writeFileSync(join(folder, 'session.jsonl'), lines(toOpenAIChat(history)))
  writeFileSync(join(folder, 'sessions.jsonl'), lines([6, 7].map((seed) => ({ id: `s${seed}`, messages: toOpenAIChat(generateHistory(seed, { turns: 30 })) }))))
  writeFileSync(join(folder, 'policy.yaml'), 'preset: cacheAware\n')
  const storage = fsStorage({ root: join(folder, '.precis') })
  const limits = { contextWindow: 8_000, maxOutput: 1_000 }
  await createCompactor({ codec: neutralCodec, limits, storage, archive: createArchive(storage) })
    .session('ticket-205')
    .compact(history)
  return folder
}

/** Commands in blocks and in running text, with the page they stand on. */
function commandsOf(text) {
  const blocks = [...text.matchAll(/```sh\n([\s\S]*?)```/g)].flatMap(([, block]) => block.split('\n'))
  const inline = [...text.matchAll(/`(npx @precis\/cli [^`]+|compactctl \w+ [^`]+|npm (?:run|install) [^`]+)`/g)].map(([, command]) => command)
  return [...blocks, ...inline].map((line) => line.replace(/\s+#.*$/, '').trim()).filter((line) => line !== '' && !/[…<]\w*$/.test(line))
}

/** Configurations, whole or in part, with the page they stand on. */
const configurationsOf = (text) => [...text.matchAll(/```yaml\n([\s\S]*?)```/g)].map(([, block]) => block)

/** Files that a map of the repository names, alternatives in braces. */
const pathsOf = (text) => [...text.matchAll(/`([\w-]+(?:\/[\w.{},-]+)+)`/g)].map(([, path]) => path)

let [ran, checked, failed] = [0, 0, 0]
const problem = (page, command, text) => {
  failed++
  console.error(`${page}: ${command}\n  ${text}`)
}
for (const page of globSync(['README.md', 'CONTRIBUTING.md', 'AGENTS.md', 'docs/*.md', 'docs/guides/*.md', 'packages/*/README.md'])) {
  const text = readFileSync(page, 'utf8')
  for (const block of configurationsOf(text)) {
    checked++
    try {
      parseConfig(block, { source: page })
    } catch (error) {
      problem(page, block.trim(), error.message)
    }
  }
  for (const path of page === 'AGENTS.md' ? pathsOf(text) : []) {
    checked++
    if (globSync([path, `packages/${path}`]).length < path.split(',').length) problem(page, path, 'is not there: where did it move?')
  }
  let folder
  for (const command of commandsOf(text)) {
    const [tool, verb, ...rest] = command.split(/\s+/)
    if (tool === 'npm' && (verb === 'run' || verb === 'test')) {
      checked++
      const name = verb === 'test' ? 'test' : rest[0]
      if (scripts[name] === undefined) problem(page, command, `package.json has no script "${name}"`)
    } else if (tool === 'npm' && verb === 'install') {
      checked++
      for (const name of rest.filter((one) => !one.startsWith('-')))
        if (!packages.has(name) && !frameworks.has(name)) problem(page, command, `"${name}" is neither one of our packages nor a known framework`)
    } else if (/compactctl|npx @precis\/cli/.test(command)) {
      folder ??= await stage()
      mkdirSync(folder, { recursive: true })
      const named = / rotate --config (\S+)/.exec(command)?.[1]
      if (named !== undefined) {
        writeFileSync(join(folder, named), configuration)
        mkdirSync(join(folder, '.encrypted'))
      }
      ran++
      try {
        execFileSync('bash', ['-c', command.replace('npx @precis/cli', 'compactctl')], {
          cwd: folder,
          env: { ...process.env, ...keys, PATH: `${bin}:${process.env.PATH}` },
          stdio: ['ignore', 'pipe', 'pipe'],
        })
      } catch (error) {
        problem(page, command, String(error.stderr).trim() || error.message)
      }
    } else if (tool === 'curl') {
      checked++ // integration/workers.test.ts sends what it sends
    } else problem(page, command, 'nobody runs this: say in scripts/commands.mjs how it is checked')
  }
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true })
}
rmSync(bin, { recursive: true, force: true })
if (ran === 0 || checked === 0) throw new Error('no command was found: the check is blind')
console.log(`${ran} commands run, ${checked} checked by name, ${failed} problems`)
process.exit(failed > 0 ? 1 : 0)
