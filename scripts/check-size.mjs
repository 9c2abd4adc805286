// Size of the core bundle as a browser would load it: minified and gzipped.
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'

const limit = 25_000 // bytes; source: the quality targets, "core bundle"
const { outputFiles } = await build({
  entryPoints: ['packages/core/dist/index.js'],
  bundle: true,
  minify: true,
  format: 'esm',
  target: 'es2023',
  platform: 'neutral',
  write: false,
})
const size = gzipSync(outputFiles[0].contents, { level: 9 }).length
console.log(`core: ${outputFiles[0].contents.length} bytes minified, ${size} gzipped, limit ${limit}`)
process.exit(size > limit ? 1 : 0)
