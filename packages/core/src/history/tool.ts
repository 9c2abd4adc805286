/** A tool that a model can call, as every framework can wrap it: plain data and one function. */
export interface ToolDefinition {
  readonly name: string
  readonly description: string
  /** JSON Schema (2020-12) of the input. */
  readonly inputSchema: Readonly<Record<string, unknown>>
  /** Never rejects for bad input: a model is told in words what to change. */
  execute(input: unknown, options?: { readonly signal?: AbortSignal }): Promise<string>
}

/** Fields of a model's input, read without trust. */
export function readInput(input: unknown): {
  text(name: string): string | undefined
  count(name: string, fallback: number, least: number, most: number): number
  flag(name: string): boolean
} {
  const fields = Object(input) as Readonly<Record<string, unknown>>
  return {
    text: (name) => (typeof fields[name] === 'string' && fields[name]) || undefined,
    count: (name, fallback, least, most) => {
      const value = Number(fields[name] ?? fallback)
      return Number.isFinite(value) ? Math.min(most, Math.max(least, Math.floor(value))) : fallback
    },
    flag: (name) => fields[name] === true,
  }
}
