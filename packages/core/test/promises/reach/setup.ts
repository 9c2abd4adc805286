import type { ToolDefinition } from '@precis/core'
import fc from 'fast-check'

// Nothing is out of reach: from a reference, and from the number of a message, every character can be had with the tools that the model is offered.

export const toolOf = (tools: readonly ToolDefinition[], name: string): ToolDefinition => tools.find((tool) => tool.name === name) as ToolDefinition
export const letters = fc.string({ unit: fc.constantFrom('a', 'B', '7', ' ', '{', '"', '\\', 'é', '語', '🙂', '[', ']'), maxLength: 40 })

/** Lines that may be very long, as JSON and minified code are. */
const line = fc.tuple(letters, fc.integer({ min: 0, max: 4_000 })).map(([text, times]) => (text === '' ? '' : text.repeat(Math.ceil(times / text.length))))
export const output = fc.array(line, { minLength: 1, maxLength: 30 }).map((lines) => lines.join('\n'))
export const flat = (text: string): string => text.replace(/[\r\u2028\u2029]/g, ' ')
