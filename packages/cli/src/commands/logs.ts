import type { Command } from 'commander'
import { inspect } from '../look/inspect.ts'
import { plain } from '../look/plain.ts'
import { renderInspections } from '../look/render-inspection.ts'
import { ago, many, short } from '../terminal/amounts.ts'
import { bold, columns, cyan, dim, fit, padded } from '../terminal/text.ts'
import type { AgentLog } from '../transcripts/agent-logs.ts'
import { type JsonFlag, jsonOption, print, transcriptsOf } from './options.ts'

const mostListed = 20

/** A path for a shell: in quotes where it needs them. */
const quoted = (path: string): string => (/^[\w@%+=:,./-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`)

const row = (log: AgentLog, now: number): string =>
  `${padded(log.agent, 12)} ${padded(ago(now - log.changed), 12, 'right')} ${`${short(log.bytes)}B`.padStart(7)}`

/** The newest sessions, with the command that looks at each. */
function renderLogs(found: readonly AgentLog[], now: number, width: number = columns()): string {
  if (found.length === 0)
    return [
      'No session of Claude Code, Codex, pi, OpenCode or Gemini CLI was found on this machine.',
      'Name a transcript instead: compactctl inspect session.jsonl',
    ].join('\n')
  const lines = found
    .slice(0, mostListed)
    .flatMap((log) => [`${cyan(row(log, now))}  ${fit(log.title, width - 36)}`, dim(`  compactctl inspect ${quoted(plain(log.path))}`)])
  const left = found.length - mostListed
  return [bold(many(found.length, 'session')), ...lines, ...(left > 0 ? [dim(`and ${many(left, 'older one')}; --json lists all`)] : [])].join('\n')
}

/** The command that `compactctl` alone is. */
export function addLogs(program: Command): void {
  program
    .command('logs')
    .description('pick a session of Claude Code, Codex, pi, OpenCode or Gemini CLI on this machine (what compactctl alone does)')
    .addOption(jsonOption())
    .addHelpText('after', '\nExample: compactctl logs --json')
    .action(async (flags: JsonFlag) => {
      const { findAgentLogs } = await import('../transcripts/agent-logs.ts')
      const found = await findAgentLogs()
      const now = Date.now()
      if (flags.json === true || !process.stdout.isTTY || !process.stdin.isTTY || found.length === 0) return print(flags, found, () => renderLogs(found, now))
      const { autocomplete, isCancel } = await import('@clack/prompts')
      const picked = await autocomplete({
        message: 'Which session? Type to search.',
        maxItems: 12,
        options: found.map((log) => ({ value: log.path, label: fit(`${row(log, now)}  ${log.title}`, columns() - 6) })),
      })
      if (isCancel(picked)) return
      const transcripts = await transcriptsOf([picked])
      process.stdout.write(`${renderInspections(transcripts.map(inspect))}\n\n`)
      for (const [verb, what] of [
        ['watch', 'follow it while it runs'],
        ['continue', 'hand it to another agent'],
        ['report -o report.html', 'a page about it'],
      ] as const)
        process.stdout.write(`${cyan(`compactctl ${verb} ${quoted(picked)}`)}  ${dim(what)}\n`)
    })
}
