import { builtInEstimator } from '@precis/core'

export const count = (text: string): number => builtInEstimator.count(text)

/** Lines that say nothing, and one in their midst that matters. */
export const log = Array.from({ length: 400 }, (_, at) => (at === 222 ? 'FATAL error: shard kappa-9 lost E4711' : `line ${at} nothing to see here`)).join('\n')
