// The model table of @earendil-works/pi-ai: JSON files by provider, inside them rows by wire, keyed by kind and id.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

export const source = '@earendil-works/pi-ai'

/** @param {string} folder of the unpacked package @returns {{ date: string, rows: { provider: string, row: Record<string, any> }[] }} chat models only */
export function piTable(folder) {
  const data = join(folder, 'dist/providers/data')
  const rows = readdirSync(data)
    .filter((name) => name.endsWith('.json') && !name.startsWith('.'))
    .sort()
    .flatMap((name) =>
      Object.values(JSON.parse(readFileSync(join(data, name), 'utf8')))
        .flatMap((wire) => Object.values(wire))
        .filter((row) => row.type === 'chat')
        .map((row) => ({ provider: name.slice(0, -'.json'.length), row })),
    )
  if (rows.length < 500) throw new Error(`${source} has ${rows.length} chat models; its files have changed their shape`)
  return { date: JSON.parse(readFileSync(join(data, '.manifest.json'), 'utf8')).generatedAt.slice(0, 10), rows }
}
