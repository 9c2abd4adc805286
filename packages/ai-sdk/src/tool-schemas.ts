/** What a schema is as JSON, by the schema: the SDK's way to it takes a while. */
const known = new WeakMap<object, Promise<unknown>>()

/**
 * Tools with their schemas as the SDK will send them: where `prepareStep` gets them they still are what their author wrote, Zod or another library's. A schema
 * that the SDK cannot turn into JSON stays as it is, and so do tools of a provider: of those no schema is sent.
 */
export async function withJsonSchemas(tools: unknown): Promise<unknown> {
  if (typeof tools !== 'object' || tools === null) return tools
  if (Array.isArray(tools)) return Promise.all(tools.map(described))
  return Object.fromEntries(await Promise.all(Object.entries(tools).map(async ([name, tool]) => [name, await described(tool)] as const)))
}

async function described(tool: unknown): Promise<unknown> {
  const { name, description, inputSchema, type } = Object(tool) as { readonly [field: string]: unknown }
  if (inputSchema === undefined || inputSchema === null || String(type).startsWith('provider')) return tool
  try {
    const jsonSchema = known.get(inputSchema) ?? jsonOf(inputSchema)
    known.set(inputSchema, jsonSchema)
    return { name, description, inputSchema: { jsonSchema: await jsonSchema } }
  } catch {
    return tool
  }
}

async function jsonOf(schema: unknown): Promise<unknown> {
  const { asSchema } = await import('ai')
  return asSchema(schema as never).jsonSchema
}
