// A newcomer's walk: three programs that existed before Précis, each in a fresh folder with its own framework, are given what the README says, from the packed tarballs.
// Before, the provider refuses a request and the program dies; after, it finishes; both compile under the TypeScript that most people have.
import { execFile } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { recallModel, strictProvider } from '../packages/testkit/dist/index.js'

const limits = '{ limits: { contextWindow: 12_000, maxOutput: 500 } }'
/** What each program installs, and the lines that the README adds: text before, text after. */
const programs = {
  'ai-sdk': {
    install: { ai: '7.0.173', '@ai-sdk/openai-compatible': '3.0.92', '@ai-sdk/openai': '4.0.118', zod: '4.6.7', '@types/json-schema': '7.0.15' },
    add: [
      ['import { generateText', "import { withCompaction } from '@precis/ai-sdk'\nimport { generateText"],
      ['  model,\n', `  model: withCompaction(model, ${limits}),\n`],
    ],
  },
  langchain: {
    install: { langchain: '1.5.14', '@langchain/core': '1.4.0', '@langchain/openai': '1.6.0', zod: '4.6.7' },
    add: [
      ['import { createAgent', "import { compaction } from '@precis/langchain'\nimport { createAgent"],
      ['tools: [list, read]', `tools: [list, read], middleware: [compaction(${limits})]`],
    ],
  },
  'openai-agents': {
    install: { '@openai/agents': '0.20.0', openai: '7.55.0', zod: '4.6.7' },
    add: [
      ['import { z }', "import { withCompaction } from '@precis/openai-agents'\nimport { z }"],
      ['modelProvider: provider', `modelProvider: withCompaction(provider, ${limits})`],
    ],
  },
}
const steps = [
  { tool: 'list_files', input: () => ({}) },
  ...Array.from({ length: 40 }, (_, at) => ({ tool: 'read_file', input: () => ({ path: `f${at}.txt` }) })),
]

/** A package of ours and those of ours that it needs. */
function ownPackages(root, name) {
  const { dependencies = {} } = JSON.parse(readFileSync(join(root, 'packages', name.split('/')[1], 'package.json'), 'utf8'))
  const own = Object.keys(dependencies).filter((one) => one.startsWith('@precis/'))
  return [...new Set([name, ...own.flatMap((one) => ownPackages(root, one))])]
}

/** `tarballs`: paths by package name. @throws Error naming the program and what went otherwise. */
export async function walk(work, root, tarballs) {
  for (const [name, { install, add }] of Object.entries(programs)) {
    const folder = join(work, `walk-${name}`)
    mkdirSync(folder)
    cpSync(join(root, 'examples/walk/files.ts'), join(folder, 'files.ts'))
    const before = readFileSync(join(root, `examples/walk/${name}-before.ts`), 'utf8')
    writeFileSync(join(folder, 'before.ts'), before)
    const after = add.reduce((text, [from, to]) => {
      if (!text.includes(from)) throw new Error(`${name}: the program has no "${from}"`)
      return text.replace(from, to)
    }, before)
    writeFileSync(join(folder, 'after.ts'), after)
    const own = Object.fromEntries(ownPackages(root, `@precis/${name}`).map((own) => [own, `file:${tarballs[own]}`]))
    const manifest = {
      name: `walk-${name}`,
      private: true,
      type: 'module',
      dependencies: { ...install, ...own },
      devDependencies: { typescript: '5.9.3', '@types/node': '24.19.2' },
    }
    writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest))
    const compilerOptions = { target: 'es2022', module: 'nodenext', strict: true, noEmit: true, allowImportingTsExtensions: true, skipLibCheck: true }
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions }))
    const run = (file, args, env = {}) => promisify(execFile)(file, args, { cwd: folder, env: { ...process.env, npm_config_loglevel: 'error', ...env } })
    await run('npm', ['install', '--no-audit', '--no-fund'])
    await run(process.execPath, ['node_modules/typescript/bin/tsc'])

    const ended = async (program) => {
      const provider = await strictProvider({ window: 12_000, model: recallModel({ steps, final: 'All read.' }) })
      const env = { BASE_URL: provider.url }
      const { stdout, stderr } = await run(process.execPath, [program], env).catch((error) => error)
      await provider.close()
      return { text: stdout.trim(), refused: provider.requests.filter(({ status }) => status !== 200).length, stderr }
    }
    const [bare, precis] = [await ended('before.ts'), await ended('after.ts')]
    if (bare.refused === 0 || bare.text !== '') throw new Error(`${name}, before: expected a refusal, got ${JSON.stringify(bare)}`)
    if (precis.refused > 0 || precis.text !== 'All read.') throw new Error(`${name}, after: ${JSON.stringify(precis)}`)
    console.log(
      `walk, ${name}: ${after.split('\n').length - before.split('\n').length} lines more; before refused, after finished; compiles under TypeScript 5.9`,
    )
  }
}
