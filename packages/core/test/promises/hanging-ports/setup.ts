import type { Message, StorageDriver } from '@precis/core'
import { history, user } from '@precis/testkit'
import { codingSession } from '../../systems/setup.ts'

export const limits = { contextWindow: 14_000, maxOutput: 1_500 }
export const long: readonly Message[] = history(codingSession({ turns: 6, steps: 3, lines: 35 }), user('Go on with module6.'))
export const never = <T>(): Promise<T> => new Promise(() => {})
export const hanging: StorageDriver = {
  name: 'hanging',
  get: () => never(),
  put: () => never(),
  delete: () => never(),
  // biome-ignore lint/correctness/useYield: it never comes to that
  async *list() {
    await never()
  },
}
