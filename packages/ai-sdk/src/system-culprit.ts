import { builtInEstimator, InsufficientBudgetError } from '@precis/core'
import type { SdkMessage } from '@precis/wire/ai-sdk'

/** Does work for this prompt. Instructions are a message here, which nothing may touch: where they are most of what does not fit, the error speaks of them, and of no pins. */
export async function namingSystem<T>(prompt: readonly SdkMessage[], work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!InsufficientBudgetError.isInstance(error) || error.culprit.part !== 'protected') throw error
    const { tokens } = error.culprit
    const system = prompt.reduce(
      (sum, { role, content }) => (role === 'system' && typeof content === 'string' ? sum + builtInEstimator.count(content) : sum),
      0,
    )
    throw system > tokens / 2 ? new InsufficientBudgetError({ ...error.culprit, part: 'system' }) : error
  }
}
