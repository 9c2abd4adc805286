import { execFile } from 'node:child_process'
import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export const folder = await mkdtemp(join(tmpdir(), 'precis-log-'))
export const lines = (values: readonly unknown[]): string => `${values.map((value) => JSON.stringify(value)).join('\n')}\n`

export async function file(name: string, text: string): Promise<string> {
  const path = join(folder, name)
  await writeFile(path, text)
  return path
}

export const compactctl = (args: readonly string[], input?: string, node: readonly string[] = []): Promise<{ code: number; out: string; err: string }> =>
  new Promise((resolve) => {
    const child = execFile(
      process.execPath,
      [...node, '--conditions=@precis/source', join(import.meta.dirname, '../../src/main.ts'), ...args],
      (error, out, err) => resolve({ code: typeof error?.code === 'number' ? error.code : 0, out, err }),
    )
    child.stdin?.end(input ?? '')
  })

/** A session log of Claude Code: bookkeeping, calls, results in users' messages, umlauts across any cut. */
export function claudeLog(turns: number): string {
  const values: unknown[] = [
    { type: 'summary', summary: 'bookkeeping' },
    { type: 'user', uuid: 'u', message: { role: 'user', content: 'Fix the parser, ticket PARSE-77. Größe zählt.' } },
  ]
  for (let at = 0; at < turns; at++) {
    const output = Array.from({ length: 60 }, (_, line) => `Zeile ${line} für module_${at}: compute(${(at * line) % 97})`).join('\n')
    values.push(
      {
        type: 'assistant',
        uuid: `a${at}`,
        message: { role: 'assistant', content: [{ type: 'tool_use', id: `c${at}`, name: 'Read', input: { file_path: `/src/module_${at}.ts` } }] },
      },
      { type: 'user', uuid: `r${at}`, message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: `c${at}`, content: output }] } },
    )
  }
  return lines(values)
}
