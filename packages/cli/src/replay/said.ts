import type { Message } from '@precis/core'

/** A message as the harness sees it: who, and everything it says. */
export interface Said {
  readonly role: string
  readonly text: string
}

/** Everything that a message says: words and outputs, then calls with their arguments, escapes in them undone. */
export function saidBy({ parts }: Message): string {
  const words = parts.flatMap((part) => (part.type === 'text' || part.type === 'reasoning' ? [part.text] : part.type === 'tool-result' ? [part.output] : []))
  const calls = parts.flatMap((part) => (part.type === 'tool-call' ? [`${part.tool} ${unescaped(part.input)}`] : []))
  return [words.join('\n'), ...calls].join('\n')
}

function unescaped(input: string): string {
  try {
    return Object.entries(JSON.parse(input) as Record<string, unknown>)
      .map(([key, value]) => `${key}: ${typeof value === 'string' ? value : JSON.stringify(value)}`)
      .join('\n')
  } catch {
    return input
  }
}
