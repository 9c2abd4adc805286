import { distance } from './distance.ts'

/** Variables and the fields that they replace. Values are read as numbers, `true` and `false` (or 1 and 0), or text, as the field wants. */
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

type Environment = Readonly<Record<string, string | undefined>>

/** The variables that are set, with their fields. */
const given = (env: Environment): readonly (readonly [string, string])[] =>
  Object.entries(environmentFields).filter(([variable]) => (env[variable] ?? '') !== '')

/** A configuration with the environment's values in their place. */
export function environmentOverrides(config: unknown, env: Environment): unknown {
  let merged = config
  for (const [variable, path] of given(env)) {
    const value = read(path, env[variable] as string)
    const [section = '', name = ''] = path.split('.')
    const before = (merged as Readonly<Record<string, Readonly<Record<string, unknown>> | undefined>> | null)?.[section]
    // Another storage or exporter has other fields: those of the file's do not go with it.
    if (choices.includes(path) && before?.[name] !== value) merged = withField(merged, [section], {})
    merged = withField(merged, path.split('.'), value)
  }
  return merged
}

/** Variables that are ours but for underscores or one letter within: others of the same beginning may be anybody's. @param isOwn - Whether the file names it for a use of its own. */
export function misspelt(env: Environment, isOwn: (variable: string) => boolean): readonly { readonly variable: string; readonly meant: string }[] {
  const bare = (variable: string): string => variable.replaceAll('_', '')
  const known = Object.keys(environmentFields)
  return Object.keys(env).flatMap((variable) => {
    if (!variable.startsWith('PRECIS_') || known.includes(variable) || isOwn(variable)) return []
    const [own, last] = [bare(variable), variable.at(-1)]
    const meant = known.map(bare).findIndex((one) => distance(one, own) <= (one.at(-1) === last && !own.startsWith(one) ? 1 : 0))
    return meant < 0 ? [] : [{ variable, meant: known[meant] as string }]
  })
}

/** Which variable a problem comes from; undefined where it is the file. @param file - What stands in it. */
export function variableOf(path: readonly PropertyKey[], file: unknown, env: Environment): string | undefined {
  const field = path.join('.')
  const own = given(env).find(([, one]) => one === field || field.startsWith(`${one}.`) || one.startsWith(`${field}.`))
  if (own !== undefined) return own[0]
  const section = String(path[0])
  const isInFile = (file as Readonly<Record<string, unknown>> | null | undefined)?.[section] !== undefined
  return given(env).find(([, one]) => one.startsWith(`${section}.`) && (!isInFile || choices.includes(one)))?.[0]
}

/** Fields that say which others there are. */
const choices: readonly string[] = ['storage.adapter', 'telemetry.exporter']

const flags: Readonly<Record<string, boolean>> = { true: true, false: false, 1: true, 0: false }

function read(path: string, value: string): unknown {
  if (/^(?:preset|storage\.|telemetry\.|policy\.summary\.)/.test(path)) return value
  if (/(?:^archive|\.auto|\.enabled)$/.test(path)) return flags[value] ?? value
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
