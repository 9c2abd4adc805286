import { logFormats } from './foreign-logs.ts'
import type { ForeignFormat } from './foreign-parts.ts'
import { wireFormats } from './foreign-wires.ts'

export type { ForeignFormat } from './foreign-parts.ts'

/** In the order in which they are looked for: logs first, whose lines hold messages of other shapes. */
export const foreignFormats: readonly ForeignFormat[] = [...logFormats, ...wireFormats]
