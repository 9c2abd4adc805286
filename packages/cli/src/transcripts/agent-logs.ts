import { open, readFile, stat } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { glob } from 'tinyglobby'
import { plain } from '../look/plain.ts'
import { parseTranscripts } from './transcript.ts'

/** A session that an agent left on this machine. */
export interface AgentLog {
  readonly agent: 'Claude Code' | 'Codex' | 'pi' | 'OpenCode' | 'Gemini CLI'
  readonly path: string
  /** Milliseconds since 1970 of the last change. */
  readonly changed: number
  readonly bytes: number
  /** How its first request begins; '' where none was found. */
  readonly title: string
}

type Environment = Readonly<Record<string, string | undefined>>

interface Place {
  readonly agent: AgentLog['agent']
  readonly folder: string
  readonly patterns: readonly string[]
}

/** Where each agent keeps its sessions, moved by the variables that it knows itself. */
function placesOf(env: Environment): readonly Place[] {
  const home = env['HOME'] ?? env['USERPROFILE'] ?? homedir()
  const data = env['XDG_DATA_HOME'] ?? join(home, '.local/share')
  return [
    { agent: 'Claude Code', folder: join(env['CLAUDE_CONFIG_DIR'] ?? join(home, '.claude'), 'projects'), patterns: ['*/*.jsonl'] },
    { agent: 'Codex', folder: join(env['CODEX_HOME'] ?? join(home, '.codex'), 'sessions'), patterns: ['**/*.jsonl'] },
    { agent: 'pi', folder: join(env['PI_CODING_AGENT_DIR'] ?? join(home, '.pi/agent'), 'sessions'), patterns: ['**/*.jsonl'] },
    { agent: 'OpenCode', folder: join(data, 'opencode/storage/session'), patterns: ['*/ses_*.json'] },
    { agent: 'Gemini CLI', folder: join(env['GEMINI_CLI_HOME'] ?? home, '.gemini/tmp'), patterns: ['*/chats/session-*.{json,jsonl}'] },
  ]
}

/** Files whose beginning is looked at for a title. */
const mostTitles = 200
const titleBytes = 256 * 1_024

/** Sessions of Claude Code, Codex, pi, OpenCode and Gemini CLI on this machine, the newest first. @param most - So many of them. */
export async function findAgentLogs(env: Environment = process.env, most: number = mostTitles): Promise<readonly AgentLog[]> {
  const found = await Promise.all(
    placesOf(env).map(async ({ agent, folder, patterns }) => {
      const paths = await glob([...patterns], { cwd: folder, dot: true }).catch(() => [])
      const stated = await Promise.all(paths.map(async (path) => ({ path: join(folder, path), about: await stat(join(folder, path)).catch(() => undefined) })))
      return stated.flatMap(({ path, about }) => (about === undefined || about.size === 0 ? [] : [{ agent, path, changed: about.mtimeMs, bytes: about.size }]))
    }),
  )
  const newest = found
    .flat()
    .sort((a, b) => b.changed - a.changed || (a.path < b.path ? -1 : 1))
    .slice(0, most)
  return Promise.all(newest.map(async (log) => ({ ...log, title: await titleOf(log).catch(() => '') })))
}

async function titleOf({ agent, path }: Pick<AgentLog, 'agent' | 'path'>): Promise<string> {
  if (agent === 'OpenCode') {
    const { title } = JSON.parse(await readFile(path, 'utf8')) as { readonly title?: unknown }
    return typeof title === 'string' ? plain(title) : ''
  }
  const file = await open(path)
  try {
    const { bytesRead, buffer } = await file.read(Buffer.alloc(titleBytes), 0, titleBytes, 0)
    const text = buffer.toString('utf8', 0, bytesRead)
    const [transcript] = parseTranscripts(bytesRead < titleBytes || path.endsWith('.json') ? text : text.slice(0, text.lastIndexOf('\n') + 1), path)
    for (const message of transcript?.messages ?? []) {
      const { role, parts } = transcript?.codec.read(message) ?? { role: '', parts: [] }
      const said = parts.map((part) => (part.type === 'text' ? part.text : '')).join(' ')
      // What a program put in front of the first request: tags, instructions.
      if (role === 'user' && said.trim() !== '' && !/^\s*(?:<|# AGENTS|Caveat:)/.test(said)) return plain(said).slice(0, 200)
    }
    return ''
  } finally {
    await file.close()
  }
}
