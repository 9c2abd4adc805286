import type { PrunePolicy, ToolPolicy } from './policy.ts'

/** The rules for one tool: the policy's own name first, then the first of its patterns that matches; beneath them what the tool declares. */
export function toolPolicy(prune: PrunePolicy, tool: string, declared?: Readonly<Record<string, ToolPolicy>>): ToolPolicy {
  const own = prune.tools[tool] ?? Object.entries(prune.tools).find(([pattern]) => matches(pattern, tool))?.[1]
  const base = declared?.[tool]
  if (base === undefined) return own ?? {}
  return own === undefined ? base : { ...base, ...own }
}

/** `*` stands for any characters, or none. A name without one was looked up already. */
function matches(pattern: string, name: string): boolean {
  return pattern.includes('*') && new RegExp(`^${pattern.replace(/\W/g, (sign) => (sign === '*' ? '.*' : `\\${sign}`))}$`).test(name)
}
