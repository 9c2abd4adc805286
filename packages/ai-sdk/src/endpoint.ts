/** What provider packages keep of their client. Not part of any interface, so it may be missing. */
interface ClientConfig {
  readonly baseURL?: unknown
  readonly baseUrl?: unknown
  readonly url?: unknown
}

/** Where a model is served: its provider, and the base URL of its client where that can be seen. Core keeps a hash of it. */
export function endpointOf(model: unknown): string | undefined {
  const { provider, modelId, config } = Object(model) as { readonly provider?: unknown; readonly modelId?: unknown; readonly config?: ClientConfig }
  if (typeof provider !== 'string') return undefined
  try {
    const { baseURL, baseUrl = baseURL, url } = Object(config) as ClientConfig
    const base: unknown = typeof url === 'function' ? url.call(config, { path: '', modelId }) : typeof baseUrl === 'function' ? baseUrl.call(config) : baseUrl
    return typeof base === 'string' ? `${provider} ${base}` : provider
  } catch {
    return provider
  }
}
