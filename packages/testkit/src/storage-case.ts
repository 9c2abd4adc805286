import type { StorageDriver } from '@precis/core'

/** A rule that every storage keeps, as a test that any runner can call. Throws where it does not hold. */
export interface StorageCase {
  readonly name: string
  /** @throws AssertionError where the rule does not hold. */
  run(create: () => Promise<StorageDriver>): Promise<void>
}
