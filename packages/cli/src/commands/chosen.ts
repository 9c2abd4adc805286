import { type CompactionPolicy, type ModelLimits, mergePolicy, type PresetName, presets } from '@precis/core'
import type { CompactSettings } from '../compact.ts'
import { whole } from '../terminal/amounts.ts'
import { note } from '../terminal/note.ts'

/** Flags that choose a policy. */
export interface PolicyFlags {
  readonly preset?: PresetName
  readonly config?: string
}

/** Flags that say what is compacted, and for which window. */
export interface CompactFlags extends PolicyFlags {
  /** Absent: the configuration's. */
  readonly window?: number | undefined
  readonly focus?: string
  readonly force?: boolean
}

/** What a compaction is asked for. */
interface Settings extends CompactSettings {
  readonly policy: CompactionPolicy
  /** What names the window, where no flag does. */
  readonly from?: string | undefined
}

type Window = Pick<Settings, 'window' | 'maxInput' | 'maxOutput' | 'from'>

/** Tokens of the window where nobody names one. */
const assumed: Window = { window: 200_000, from: "nobody names the model's: --window does, or model.contextWindow of --config" }

/** What a command's flags and the configuration ask for. */
export async function settingsOf(flags: CompactFlags): Promise<Settings> {
  return { ...assumed, ...(await knownSettingsOf(flags)) }
}

/** The same, without a window where nobody names one. */
export async function knownSettingsOf({ focus, force, ...flags }: CompactFlags): Promise<Omit<Settings, 'window'> & Partial<Window>> {
  const { policy, model } = await configurationOf(flags)
  const named = flags.window === undefined ? windowOf(model, sourceOf(flags)) : { window: flags.window, from: undefined }
  return { ...named, policy, onlyIfDue: force !== true, ...(focus !== undefined && { focus }) }
}

/** Says beside a result which window it is for, where the flags do not. */
export function noteWindow({ window, from }: { readonly window?: number | undefined; readonly from?: string | undefined }): void {
  if (window !== undefined && from !== undefined) note(`window: ${whole(window)} tokens (${from})`)
}

/** A window without end says nothing, unless prompts have a limit of their own. */
function windowOf(model: ModelLimits | undefined, from: string): Window | undefined {
  const { contextWindow = 0, maxInput = 0, maxOutput }: Partial<ModelLimits> = model ?? {}
  const window = contextWindow || maxInput
  return window > 0 ? { window, maxInput: maxInput || undefined, maxOutput, from } : undefined
}

/** The environment is in front of the file. */
const sourceOf = ({ config = 'the environment' }: PolicyFlags): string =>
  (process.env['PRECIS_CONTEXT_WINDOW'] ?? '') === '' ? config : 'PRECIS_CONTEXT_WINDOW'

/** The flags, then the environment, then the file; the library that reads the two is loaded where there is one of them. */
async function configurationOf({ preset, config }: PolicyFlags): Promise<{ readonly policy: CompactionPolicy; readonly model?: ModelLimits | undefined }> {
  const { env } = process
  if (config === undefined && Object.keys(env).every((name) => !name.startsWith('PRECIS_'))) return { policy: presets[preset ?? 'balanced'] }
  const { closeConfig, loadConfig, parseConfig } = await import('@precis/config')
  if (config !== undefined) {
    const loaded = await loadConfig({ path: config })
    await closeConfig(loaded)
    return { policy: loaded.policy, model: loaded.limits }
  }
  const chosen = parseConfig('', { source: 'environment', env: preset === undefined ? env : { ...env, PRECIS_PRESET: preset } })
  return { policy: mergePolicy(presets[chosen.preset ?? 'balanced'], chosen.policy ?? {}), model: chosen.model }
}
