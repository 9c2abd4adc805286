import { readdir, readFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'

const openCodeSession = /[\\/]storage[\\/]session[\\/][^\\/]+[\\/](ses_[^\\/]+)\.json$/

/** OpenCode keeps a session in many files: its messages and their parts as `opencode export` would write them; undefined for every other path. */
export async function readOpenCodeStorage(path: string): Promise<string | undefined> {
  const id = openCodeSession.exec(path)?.[1]
  if (id === undefined) return undefined
  const storage = join(dirname(dirname(path)), '..')
  const jsonIn = async (folder: string): Promise<readonly unknown[]> => {
    const names = (await readdir(folder).catch(() => [])).filter((name) => name.endsWith('.json')).sort()
    return Promise.all(names.map(async (name) => ({ ...Object(JSON.parse(await readFile(join(folder, name), 'utf8'))), id: basename(name, '.json') })))
  }
  const messages = (await jsonIn(join(storage, 'message', id))) as readonly { readonly id: string }[]
  if (messages.length === 0) return undefined
  const whole = await Promise.all(messages.map(async (info) => ({ info, parts: await jsonIn(join(storage, 'part', info.id)) })))
  return whole.map((message) => JSON.stringify(message)).join('\n')
}
