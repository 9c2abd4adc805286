// Size of the core as a browser would load it, minified and gzipped: the pure decisions, what a program with `createCompactor` gets before it runs, and everything there is. And of the catalog of models.
// What is loaded only when it is needed (to write a summary, to look something up, after a refusal, to delete what is stored, to take an output as it arrives) is said beside it.
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'

const core = './packages/core/dist/index.js'
const decisions = 'applyPlan, decideTrigger, estimateHistory, groupMessages, planCompaction, presets, project, repairHistory, usableInput'
/** What is imported, and the bytes it may have: where it is now, none may grow. */
const entries = {
  'core, the decisions': { code: `export { ${decisions} } from '${core}'`, limit: 22_000 },
  'core, the decisions with excerptsByName': { code: `export { ${decisions}, excerptsByName } from '${core}'`, limit: 27_800 },
  'core, createCompactor': { code: `export { createCompactor } from '${core}'`, limit: 54_400 },
  'core, everything': { code: `export * from '${core}'`, limit: 85_000 },
  models: { code: `export * from './packages/models/dist/index.js'`, limit: 15_500 },
}

const onDemand = {
  name: 'on-demand',
  setup: ({ onResolve }) => onResolve({ filter: /./ }, ({ kind, path }) => (kind === 'dynamic-import' ? { path, external: true } : undefined)),
}
const sizeOf = async (contents, plugins = []) => {
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: process.cwd() },
    bundle: true,
    minify: true,
    format: 'esm',
    target: 'es2023',
    platform: 'neutral',
    write: false,
    plugins,
  })
  return gzipSync(outputFiles[0].contents, { level: 9 }).length
}
let failed = false
for (const [name, { code, limit }] of Object.entries(entries)) {
  const size = await sizeOf(code, [onDemand])
  const later = (await sizeOf(code)) - size
  const more = later === 0 ? '' : `, ${later} more on demand`
  console.log(`${name}: ${size} bytes minified and gzipped${more}, limit ${limit}`)
  failed ||= size > limit
}
process.exit(failed ? 1 : 0)
