import type { CompactionPolicy } from '../policy.ts'
import { balanced } from './balanced.ts'
import { cacheAware } from './cache-aware.ts'
import { calibrated, calibratedInteractive, calibratedLongRun } from './calibrated.ts'
import { layered } from './layered.ts'
import { outputCache } from './output-cache.ts'
import { pivot } from './pivot.ts'

/** Name of a preset. docs/systems.md says what each stands for. */
export type PresetName = 'balanced' | 'pivot' | 'cacheAware' | 'layered' | 'outputCache' | 'calibrated' | 'calibratedLongRun' | 'calibratedInteractive'

/** Complete policies to start from: five systems over one engine, and our own choice. */
export const presets: Readonly<Record<PresetName, CompactionPolicy>> = {
  balanced,
  pivot,
  cacheAware,
  layered,
  outputCache,
  calibrated,
  calibratedLongRun,
  calibratedInteractive,
}
