/** Variables and the fields that they replace. Values are read as numbers, booleans or text, as the field wants. */
export const environmentFields = {
  PRECIS_PRESET: 'preset',
  PRECIS_CONTEXT_WINDOW: 'model.contextWindow',
  PRECIS_MAX_OUTPUT: 'model.maxOutput',
  PRECIS_AUTO: 'policy.trigger.auto',
  PRECIS_TRIGGER: 'policy.trigger.hard.fraction',
  PRECIS_TARGET: 'policy.trigger.target.fraction',
  PRECIS_KEEP_TURNS: 'policy.retain.turns',
  PRECIS_KEEP_MESSAGES: 'policy.retain.messages',
  PRECIS_SUMMARY_STYLE: 'policy.summary.style',
  PRECIS_STORAGE: 'storage.adapter',
  PRECIS_STORAGE_PATH: 'storage.path',
  PRECIS_STORAGE_BUCKET: 'storage.bucket',
  PRECIS_STORAGE_PREFIX: 'storage.prefix',
  PRECIS_ARCHIVE: 'archive',
  PRECIS_EXPORTER: 'telemetry.exporter',
  PRECIS_OTLP_ENDPOINT: 'telemetry.endpoint',
  PRECIS_REDACTION: 'redaction.enabled',
} as const

/** A configuration with the environment's values in their place. */
export function environmentOverrides(config: unknown, env: Readonly<Record<string, string | undefined>>): unknown {
  let merged = config
  for (const [variable, path] of Object.entries(environmentFields)) {
    const value = env[variable]
    if (value !== undefined && value !== '') merged = withField(merged, path.split('.'), read(value))
  }
  return merged
}

function read(value: string): unknown {
  if (value === 'true' || value === 'false') return value === 'true'
  return value.trim() !== '' && Number.isFinite(Number(value)) ? Number(value) : value
}

/** A copy of `place` with `value` at a path of names. */
export function withField(place: unknown, [name, ...rest]: readonly string[], value: unknown): unknown {
  if (name === undefined) return value
  const fields = typeof place === 'object' && place !== null && !Array.isArray(place) ? (place as Record<string, unknown>) : {}
  // A fraction takes the place of an amount in tokens: they do not stand side by side.
  const base = name === 'fraction' ? {} : fields
  return { ...base, [name]: withField(fields[name], rest, value) }
}
