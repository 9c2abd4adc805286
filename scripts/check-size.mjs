// Size of the core as a browser would load it, minified and gzipped: the pure decisions, what a program with `createCompactor` gets, and everything there is. And of the catalog of models.
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'

/** Bytes. Targets: where the design wants these to be. Limits: where they are; none may grow further. */
const targets = { 'core, the decisions': 25_000, 'core, createCompactor': 55_000 }
const limits = { 'core, the decisions': 25_200, 'core, createCompactor': 61_700, 'core, everything': 74_500, models: 15_500 }
const core = './packages/core/dist/index.js'
const entries = {
  'core, the decisions': `export { applyPlan, decideTrigger, estimateHistory, groupMessages, planCompaction, presets, project, repairHistory, usableInput } from '${core}'`,
  'core, createCompactor': `export { createCompactor } from '${core}'`,
  'core, everything': `export * from '${core}'`,
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
  const missed = size > targets[name] ? ` (target ${targets[name]} missed)` : ''
  console.log(`${name}: ${size} bytes minified and gzipped${missed}, limit ${limits[name]}`)
  failed ||= size > limits[name]
}
process.exit(failed ? 1 : 0)
