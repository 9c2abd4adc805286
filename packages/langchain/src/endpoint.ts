import { providerName } from './overhead.ts'

/** Settings that say where a model is served, in the classes of whatever provider. */
const places = /url|endpoint|base_?path|host|region|location|instance_?name|deployment/i

/** Where a model is served: its provider, and what its object says of base URLs, regions and deployments. Core keeps a hash of it. */
export function endpointOf(model: unknown): string {
  const { clientConfig, clientOptions } = Object(model) as { readonly clientConfig?: unknown; readonly clientOptions?: unknown }
  const said = [model, clientConfig, clientOptions].flatMap((one) =>
    Object.entries(Object(one) as object).flatMap(([name, value]) => (typeof value === 'string' && places.test(name) ? [`${name}=${value}`] : [])),
  )
  return [providerName(model), ...new Set(said.sort())].join(' ')
}
