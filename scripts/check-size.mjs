// Size of the core as a browser would load it, minified and gzipped: what a program with `createCompactor` gets, and everything there is. And of the catalog of models.
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'

const target = 25_000 // bytes; where we want `createCompactor` to be
const limits = { 'core, createCompactor': 49_520, 'core, everything': 58_770, models: 18_000 } // bytes; where we are: core may not grow further, the catalog by a third
const entries = {
  'core, createCompactor': `export { createCompactor } from './packages/core/dist/index.js'`,
  'core, everything': `export * from './packages/core/dist/index.js'`,
  models: `export * from './packages/models/dist/index.js'`,
}

const sizeOf = async (contents) => {
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: process.cwd() },
    bundle: true,
    minify: true,
    format: 'esm',
    target: 'es2023',
    platform: 'neutral',
    write: false,
  })
  return gzipSync(outputFiles[0].contents, { level: 9 }).length
}
let failed = false
for (const [name, contents] of Object.entries(entries)) {
  const size = await sizeOf(contents)
  const missed = name === 'core, createCompactor' && size > target ? ` (target ${target} missed)` : ''
  console.log(`${name}: ${size} bytes minified and gzipped${missed}, limit ${limits[name]}`)
  failed ||= size > limits[name]
}
process.exit(failed ? 1 : 0)
