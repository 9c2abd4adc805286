import type { PrunePolicy, ToolPolicy } from './policy.ts'

/** The rules for one tool: the policy's own name first, then the first of its patterns that matches; beneath them what the tool declares. */
export function toolPolicy(prune: PrunePolicy, tool: string, declared?: Readonly<Record<string, ToolPolicy>>): ToolPolicy {
  const { tools } = prune
  let own = tools[tool]
  for (const pattern in tools) own ??= matches(pattern, tool) ? tools[pattern] : undefined
  const said = declared?.[tool]
  return said && own ? { ...said, ...own } : (own ?? said ?? none)
}

/** Of most tools nothing is said, and they are asked for at each of their calls. */
const none: ToolPolicy = {}

/** `*` stands for any characters, or none. A name without one was looked up already. */
function matches(pattern: string, name: string): boolean {
  return pattern.includes('*') && new RegExp(`^${pattern.replace(/\W/g, (sign) => (sign === '*' ? '.*' : `\\${sign}`))}$`).test(name)
}
