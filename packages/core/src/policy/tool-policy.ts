import type { PrunePolicy, ToolPolicy } from './policy.ts'

/** The rules for one tool: the policy's own name first, then the first of its patterns that matches; beneath them what the tool declares. */
export function toolPolicy(prune: PrunePolicy, tool: string, declared?: Readonly<Record<string, ToolPolicy>>): ToolPolicy {
  const own = prune.tools[tool] ?? Object.entries(prune.tools).find(([pattern]) => matches(pattern, tool))?.[1]
  const base = declared?.[tool]
  if (base === undefined) return own ?? {}
  return own === undefined ? base : { ...base, ...own }
}

function matches(pattern: string, name: string): boolean {
  const pieces = pattern.split('*')
  if (pieces.length === 1) return pattern === name
  if (!name.startsWith(pieces[0] ?? '') || !name.endsWith(pieces.at(-1) ?? '')) return false
  let from = 0
  for (const piece of pieces) {
    const at = name.indexOf(piece, from)
    if (at < 0) return false
    from = at + piece.length
  }
  return true
}
