import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build } from 'esbuild'
import { expect, it, onTestFinished } from 'vitest'

it('a program is bundled without the storages and exporters that are not installed', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'precis-bundle-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  cpSync(join(import.meta.dirname, '../src'), folder, { recursive: true })
  const entryPoints = [join(folder, 'index.ts')]
  const external = ['@precis/core', '@precis/redaction', 're2js', 'yaml', 'zod']
  const { outputFiles } = await build({ entryPoints, bundle: true, format: 'esm', platform: 'node', write: false, external, nodePaths: [] })
  for (const name of ['exporter-console', 'exporter-otlp', 'storage-fs', 'storage-s3', 'storage-unstorage'])
    expect(outputFiles[0]?.text).toContain(`await import("@precis/${name}")`)
})
