/**
 * Tools with their schemas as the SDK will send them: where `prepareStep` gets them they still are what their author wrote, Zod or another library's. A schema
 * that the SDK cannot turn into JSON stays as it is.
 */
export async function withJsonSchemas(tools: unknown): Promise<unknown> {
  if (typeof tools !== 'object' || tools === null) return tools
  const { asSchema } = await import('ai')
  const described = async (tool: unknown): Promise<unknown> => {
    const { inputSchema } = Object(tool) as { readonly inputSchema?: unknown }
    if (inputSchema === undefined) return tool
    try {
      return { ...(tool as object), inputSchema: { jsonSchema: await asSchema(inputSchema as never).jsonSchema } }
    } catch {
      return tool
    }
  }
  if (Array.isArray(tools)) return Promise.all(tools.map(described))
  return Object.fromEntries(await Promise.all(Object.entries(tools).map(async ([name, tool]) => [name, await described(tool)] as const)))
}
