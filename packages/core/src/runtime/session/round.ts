import type { Checkpoint } from '../../state/checkpoint.ts'

/** Where a request stands that may have to go round again. */
export interface Round {
  readonly started: number
  conflicts: number
  /** Whether it was looked for what another process has written. */
  looked: boolean
  /** Checkpoints among which one was looked for that applies but for the beginning: once, as what it covers may be too little for this call. */
  tried?: readonly Checkpoint[]
  /** Why no model is asked: another process is writing the summary, whoever tried was ended before it was there, or nobody could go on with it. */
  away?: 'elsewhere' | 'in vain' | 'cut'
}
