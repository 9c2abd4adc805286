import { execFile } from 'node:child_process'
import { readdir, readFile } from 'node:fs/promises'
import { join, relative, resolve, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { type ToolSet, tool } from 'ai'
import { z } from 'zod'

/** The repository that the agent works on: this one. */
const root = resolve(fileURLToPath(import.meta.url), '../../..')
const skipped = new Set(['node_modules', 'dist', 'coverage', '.git', '.turbo'])

function inside(path: string): string {
  const full = resolve(root, path)
  if (full !== root && !full.startsWith(root + sep))
    throw new Error(`${path} is outside the repository`)
  return full
}

async function* filesUnder(folder: string): AsyncGenerator<string> {
  const entries = await readdir(folder, { withFileTypes: true })
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    if (skipped.has(entry.name)) continue
    const path = join(folder, entry.name)
    if (entry.isDirectory()) yield* filesUnder(path)
    else yield path
  }
}

async function grep(pattern: string, path: string): Promise<string> {
  const hits: string[] = []
  const folder = inside(path)
  for await (const file of filesUnder(folder)) {
    const lines = (await readFile(file, 'utf8')).split('\n')
    lines.forEach((line, at) => {
      if (line.includes(pattern))
        hits.push(
          `${relative(root, file)}:${at + 1}: ${line.trim().slice(0, 160)}`,
        )
    })
  }
  return hits.join('\n') || `no line contains "${pattern}"`
}

/** Commands that the agent may run: nothing that writes. */
const commands: Readonly<Record<string, readonly string[]>> = {
  'node --version': ['--version'],
  'node --check missing.js': ['--check', 'missing.js'],
}

async function run(command: string): Promise<string> {
  const args = commands[command]
  if (args === undefined)
    throw new Error(
      `"${command}" is not allowed; allowed are: ${Object.keys(commands).join(', ')}`,
    )
  try {
    return (
      await promisify(execFile)(process.execPath, [...args], { cwd: root })
    ).stdout
  } catch (error) {
    const { code, stderr } = error as { code?: number; stderr?: string }
    return `exit code ${code}\n${(stderr ?? '').replaceAll(root, '.')}`
  }
}

export const tools: ToolSet = {
  list: tool({
    description: 'Lists the files under a folder of the repository.',
    inputSchema: z.object({ path: z.string() }),
    execute: async ({ path }) => {
      const files: string[] = []
      for await (const file of filesUnder(inside(path)))
        files.push(relative(root, file))
      return files.join('\n')
    },
  }),
  read: tool({
    description: 'Reads a file of the repository.',
    inputSchema: z.object({ path: z.string() }),
    execute: ({ path }) =>
      readFile(inside(path), 'utf8').catch(() => `no such file: ${path}`),
  }),
  grep: tool({
    description: 'Finds the lines of files under a folder that contain a text.',
    inputSchema: z.object({ pattern: z.string(), path: z.string() }),
    execute: ({ pattern, path }) => grep(pattern, path),
  }),
  run: tool({
    description: 'Runs a command in the repository.',
    inputSchema: z.object({ command: z.string() }),
    execute: ({ command }) => run(command),
  }),
}
