import type { Message } from '../history/message.ts'

/**
 * A rule of your own for what stays word for word, beside the policy's turns, roles and pins: in `partition` of a compactor.
 * Pure: the same messages give the same answer. `partitionRuleCases` of `@precis/testkit` test it.
 */
export interface PartitionRule {
  readonly name: string
  /**
   * Whether these messages, which belong together (one message, or calls with their results), are never summarized or shortened.
   * What all rules keep must fit into the window: more is an InsufficientBudgetError. What is thrown keeps nothing.
   */
  keeps(messages: readonly Message[]): boolean
}
