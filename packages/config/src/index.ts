export { ConfigError } from './config-error.ts'
export type { LoadConfigOptions, PrecisConfig } from './load.ts'
export { loadConfig, parseConfig } from './load.ts'
export { configJsonSchema, configSchema } from './schema.ts'
