import type { Planned } from './decide.ts'

/** Whether code writes what a model was to write, as that is left alone for a while. */
export function isLeftAlone({ plan, input }: Planned): boolean {
  return input.summaryModelAway === true && input.policy.summary.author === 'model' && plan.summary !== undefined && plan.summary.author !== 'model'
}
