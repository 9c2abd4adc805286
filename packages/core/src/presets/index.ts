import type { CompactionPolicy } from '../policy.ts'
import { balanced } from './balanced.ts'

/** Complete policies to start from. */
export const presets: { readonly balanced: CompactionPolicy } = { balanced }
