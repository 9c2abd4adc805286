import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build } from 'esbuild'
import { expect, it, onTestFinished } from 'vitest'

it('a program is bundled without gpt-tokenizer where that is not installed', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'precis-bundle-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  cpSync(join(import.meta.dirname, '../src'), folder, { recursive: true })
  const entryPoints = [join(folder, 'index.ts')]
  const { outputFiles } = await build({ entryPoints, bundle: true, format: 'esm', write: false, external: ['@precis/core', 'js-tiktoken/*'], nodePaths: [] })
  expect(outputFiles[0]?.text).toContain('await import("gpt-tokenizer/encoding/o200k_base")')
})
