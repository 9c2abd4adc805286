// Size of the core as a browser would load it, minified and gzipped: the pure decisions, what a program with `createCompactor` gets, and everything there is. And of the catalog of models.
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'

const core = './packages/core/dist/index.js'
/** What is imported, the bytes it may have (where it is now: none may grow), and those it should have. */
const entries = {
  'core, the decisions': {
    code: `export { applyPlan, decideTrigger, estimateHistory, groupMessages, planCompaction, presets, project, repairHistory, usableInput } from '${core}'`,
    limit: 27_200,
    target: 25_000,
  },
  'core, createCompactor': { code: `export { createCompactor } from '${core}'`, limit: 78_700, target: 55_000 },
  'core, everything': { code: `export * from '${core}'`, limit: 93_200 },
  models: { code: `export * from './packages/models/dist/index.js'`, limit: 15_500 },
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
for (const [name, { code, limit, target = limit }] of Object.entries(entries)) {
  const size = await sizeOf(code)
  console.log(`${name}: ${size} bytes minified and gzipped${size > target ? ` (target ${target} missed)` : ''}, limit ${limit}`)
  failed ||= size > limit
}
process.exit(failed ? 1 : 0)
