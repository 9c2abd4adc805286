/** A tool that a model can call, as every framework can wrap it: plain data and one function. */
export interface ToolDefinition {
  readonly name: string
  readonly description: string
  /** JSON Schema (2020-12) of the input. */
  readonly inputSchema: Readonly<Record<string, unknown>>
  /** Never rejects for bad input: a model is told in words what to change. */
  execute(input: unknown, options?: { readonly signal?: AbortSignal }): Promise<string>
}

/** A text in a model's input, which is read without trust; undefined where there is none. */
export function textField(input: unknown, name: string): string | undefined {
  const value = fieldOf(input, name)
  return typeof value === 'string' && value !== '' ? value : undefined
}

/** A whole number within bounds; `fallback` where there is none. */
export function countField(input: unknown, name: string, fallback: number, least: number, most: number): number {
  const value = Number(fieldOf(input, name) ?? fallback)
  return Number.isFinite(value) ? Math.min(most, Math.max(least, Math.floor(value))) : fallback
}

export function flagField(input: unknown, name: string): boolean {
  return fieldOf(input, name) === true
}

const fieldOf = (input: unknown, name: string): unknown => Object(input)[name]
