import { presets } from '@precis/core'
import { codingSession } from './setup.ts'

export const { layered } = presets
export const limits = { contextWindow: 24_000, maxOutput: 4_000 }
export const full = codingSession({ turns: 8, steps: 3, lines: 40 })
