import type { Checkpoint } from '../../state/checkpoint.ts'

/** What one request has tried so far: it is decided anew whenever another process was faster. */
export interface Round {
  readonly started: number
  conflicts: number
  /** Whether we looked for what another process has written. */
  looked: boolean
  /** Checkpoints that were searched for one made when the history began otherwise. Not searched twice: the one found may cover too little for this call. */
  tried?: readonly Checkpoint[]
  /**
   * Why no model is asked for a summary. `elsewhere`: another process is writing it. `in vain`: the processes that tried were ended before it was there.
   * `cut`: the host cuts the history's beginning with each call, so that no later call could use it.
   */
  away?: 'elsewhere' | 'in vain' | 'cut'
}
