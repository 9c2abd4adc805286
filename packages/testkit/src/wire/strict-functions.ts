import type { Violation } from './violation.ts'

interface FunctionTool {
  readonly name?: string
  readonly strict?: unknown
  readonly parameters?: { readonly properties?: object; readonly required?: readonly string[]; readonly additionalProperties?: unknown }
}

/** What OpenAI refuses in the functions of a request that are marked as strict, in either of its APIs: an argument that may be left out, and others than those. */
export function validateStrictFunctions(tools: unknown): readonly Violation[] {
  if (!Array.isArray(tools)) return []
  return tools.flatMap((tool: FunctionTool & { readonly function?: FunctionTool }): readonly Violation[] => {
    const { name, strict, parameters } = tool.function ?? tool
    if (strict !== true) return []
    const refused = (what: string): readonly Violation[] => [
      { rule: 'strict-function', message: `Invalid schema for function '${name}': In context=(), ${what}` },
    ]
    const missing = Object.keys(parameters?.properties ?? {}).find((key) => !(parameters?.required ?? []).includes(key))
    if (missing !== undefined)
      return refused(`'required' is required to be supplied and to be an array including every key in properties. Missing '${missing}'.`)
    return parameters?.additionalProperties === false ? [] : refused("'additionalProperties' is required to be supplied and to be false.")
  })
}
