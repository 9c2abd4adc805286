// Counts what a request of this framework carries besides its messages. Each framework has it in other places, so each adapter reads it by itself.
import { builtInEstimator, jsonText, type Overhead, type TokenEstimator } from '@precis/core'

/** Tokens of wrapping around one definition, of a tool or a reply. */
const perTool = 12

/**
 * What a request carries besides its messages: instructions, name, description and schema of each tool, and the schema of a reply that is to be JSON.
 * Schemas that can only be read through a validation library count by their fields; the rest is learned from the provider's own counts.
 */
export function readOverhead(
  { instructions, tools, responseFormat }: { readonly instructions?: unknown; readonly tools?: unknown; readonly responseFormat?: unknown },
  estimator: TokenEstimator = builtInEstimator,
): Overhead {
  return { system: estimator.count(textOf(instructions)), tools: toolTokens(tools, estimator) + formatTokens(responseFormat, estimator), memory: 0 }
}

function formatTokens(format: unknown, estimator: TokenEstimator): number {
  const { schema, name, description } = Object(format) as { readonly [field: string]: unknown }
  return schema === undefined ? 0 : perTool + estimator.count(jsonText({ name, description, schema }))
}

function textOf(instructions: unknown): string {
  if (typeof instructions === 'string') return instructions
  if (Array.isArray(instructions)) return instructions.map(textOf).join('\n')
  const content = (instructions as { content?: unknown } | undefined)?.content
  return typeof content === 'string' ? content : ''
}

function toolTokens(tools: unknown, estimator: TokenEstimator): number {
  if (typeof tools !== 'object' || tools === null) return 0
  const list: readonly (readonly [string, unknown])[] = Array.isArray(tools)
    ? tools.map((tool) => [String((tool as { name?: unknown } | null)?.name ?? ''), tool])
    : Object.entries(tools)
  let total = 0
  for (const [name, tool] of list) {
    const { description, inputSchema } = (tool ?? {}) as { description?: unknown; inputSchema?: unknown }
    total += perTool + estimator.count(`${name}\n${typeof description === 'string' ? description : ''}\n${schemaText(inputSchema)}`)
  }
  return total
}

function schemaText(schema: unknown): string {
  if (typeof schema !== 'object' || schema === null) return ''
  const { jsonSchema, shape } = schema as { jsonSchema?: unknown; shape?: unknown }
  if (typeof jsonSchema === 'object' && jsonSchema !== null && !('then' in jsonSchema)) return jsonText(jsonSchema)
  if (typeof shape === 'object' && shape !== null)
    return Object.keys(shape)
      .map((field) => `"${field}":{"type":"string"}`)
      .join(',')
  // On the provider's side the schema is JSON Schema already.
  return 'type' in schema || 'properties' in schema ? jsonText(schema) : ''
}
