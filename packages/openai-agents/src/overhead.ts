// Counts what a request of this framework carries besides its messages. Each framework has it in other places, so each adapter reads it by itself.
import { builtInEstimator, jsonText, type Overhead } from '@precis/core'

/** What a request carries besides its items: instructions, tools, handoffs, the shape of the answer. */
export function readOverhead(request: {
  readonly systemInstructions?: unknown
  readonly tools?: unknown
  readonly handoffs?: unknown
  readonly outputType?: unknown
}): Overhead {
  const { systemInstructions, tools, handoffs, outputType } = request
  const definitions = [tools, handoffs, outputType === 'text' ? undefined : outputType].filter((one) => one !== undefined)
  return {
    system: typeof systemInstructions === 'string' ? builtInEstimator.count(systemInstructions) : 0,
    tools: definitions.reduce<number>((total, one) => total + builtInEstimator.count(jsonText(one)), 0),
    memory: 0,
  }
}
