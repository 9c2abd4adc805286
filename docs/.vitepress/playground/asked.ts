// What the page and its worker say to each other.
import type { ReportData } from '@precis/cli/report'
import type { PresetName } from '@precis/core'

/** What the page asks for. `window` 0: one that the conversation outgrows. */
export interface Asked {
  readonly text: string
  readonly name: string
  /** Which conversation of the file. */
  readonly at: number
  readonly window: number
  readonly preset: PresetName
  /** Missing: the list price of the model that the log names. */
  readonly dollarsPerMillion?: number
}

/** What the page is told, in this order. */
export type Told =
  | { readonly kind: 'read'; readonly conversations: readonly string[] }
  | { readonly kind: 'progress'; readonly done: number; readonly all: number }
  | { readonly kind: 'report'; readonly report: ReportData }
  | { readonly kind: 'refused'; readonly message: string }

/** Windows that the page offers, in tokens. */
export const windows: readonly number[] = [8_000, 16_000, 32_000, 64_000, 128_000, 200_000, 400_000, 1_000_000]
