import { presets } from '@precis/core'
import { codingSession } from '../../../systems/setup.ts'

export const { balanced } = presets
export const limits = { contextWindow: 20_000, maxOutput: 2_000 }
export const full = codingSession({ turns: 6, steps: 3, lines: 45 })
